"""The form writes and reads amounts with the decimals that the server has for their currency."""

from collections.abc import Iterator
from typing import Any

import pytest
from babel.numbers import list_currencies

from api.i18n.currency import currency_places
from tests.support.browser.javascript_engine import JavaScriptEngine, running_engine

TASKS = """
import { currencyDigits } from './static/domain/amounts.js';

export const digits = (_, currencies) => currencies.map(currencyDigits);
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: Any) -> Iterator[JavaScriptEngine]:
    tasks = tmp_path_factory.mktemp("currencies") / "tasks.js"
    tasks.write_text(TASKS)
    with running_engine(tasks) as running:
        yield running


def test_every_currency_has_the_decimals_of_the_server(engine: JavaScriptEngine) -> None:
    currencies = sorted(list_currencies() | {"chips"})
    in_form = dict(zip(currencies, engine.run("digits", currencies), strict=True))
    assert in_form == {currency: currency_places(currency) for currency in currencies}
