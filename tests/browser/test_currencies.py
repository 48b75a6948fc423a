"""The form writes and reads amounts with the decimals that the server has for their currency."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from babel.numbers import list_currencies
from playwright.sync_api import expect

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator
from ledger.events.currency import currency_places
from tests.support.browser.appearance import languages
from tests.support.browser.form_sources import FORM
from tests.support.browser.javascript_engine import JavaScriptEngine, run_engine
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

TASKS = """
import { loadLanguage, moneyWriter } from './static/core/translator.js';
import { currencyDigits, parseAmount } from './static/domain/amounts.js';

globalThis.document = { documentElement: {} };

export const digits = (_, currencies) => currencies.map(currencyDigits);
export const amount = (_, [text, currency]) => parseAmount(text, currency);
export async function write(_, { language, catalog, currency, amounts }) {
  globalThis.fetch = async () => Response.json(catalog);
  await loadLanguage(language);
  return amounts.map((amount) => moneyWriter(currency, [amount]).plain(amount));
}
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: Any) -> Iterator[JavaScriptEngine]:
    tasks = tmp_path_factory.mktemp("currencies") / "tasks.js"
    tasks.write_text(TASKS)
    with run_engine(tasks) as running:
        yield running


def test_every_currency_has_the_decimals_of_the_server(engine: JavaScriptEngine) -> None:
    currencies = sorted(list_currencies() | {"chips"})
    in_form = dict(zip(currencies, engine.run("digits", currencies), strict=True))
    assert in_form == {currency: currency_places(currency) for currency in currencies}


@pytest.mark.parametrize("currency", ["SEK", "DKK", "NOK", "ISK", "EUR", "GBP", "chips"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_and_the_server_write_an_amount_alike(
    engine: JavaScriptEngine, language: str, currency: str
) -> None:
    amounts = [0, 1, 123_450, -500_000]
    catalog = json.loads((FORM / "translations" / f"{language}.json").read_text("utf-8"))
    values = {"language": language, "catalog": catalog, "currency": currency, "amounts": amounts}
    in_form = engine.run("write", values)
    translator = Translator(language)
    assert in_form == [translator.format_money(amount, currency) for amount in amounts]
    assert " " not in "".join(in_form), "an amount stays on one line with its unit"


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        *(("12,50", "SEK", 1250), ("12,5", "SEK", 1250), ("1.000", "SEK", None)),
        *(("12", "JPY", 12), ("12,5", "JPY", None)),
        *(("1,250", "KWD", 1250), ("1,25", "KWD", 1250), ("1,2505", "KWD", None)),
        *(("0,0001", "CLF", 1), ("0", "CLF", None)),
        *(("5 000", "SEK", 500_000), ("12\u00a0500,50 kr", "SEK", 1_250_050)),
        *(("5 00", "SEK", None), ("50 000 000 000", "SEK", None), ("kr", "SEK", None)),
        ("10 kr.", "DKK", 1000),
        *(("430 €", "EUR", 43_000), ("€430", "EUR", 43_000), ("EUR 4,30", "EUR", 430)),
        *(("$5", "USD", 500), ("430 €", "SEK", None), ("10 kr", "EUR", None)),
    ],
)
def test_an_amount_has_as_many_decimals_as_its_currency(
    engine: JavaScriptEngine, text: str, currency: str, amount: int | None
) -> None:
    assert engine.run("amount", [text, currency]) == amount


@languages()
def test_any_stake_is_typed_in_whole_coins(lend: Callable[..., Phone], language: str) -> None:
    """The field suggests it and limits it in the unit in which it is typed, not in öre or cents."""
    phone = lend(language=language)
    phone.page.goto(phone.url + "/#/new")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.mark("currency", "EUR").mark("stake", "free")
    field = phone.page.locator("#free-stake")
    expect(field).to_have_attribute("placeholder", re.compile("^0[.,]50$"))
    field.fill("999999999")
    phone.tap("open")
    limit = phone.page.locator("#stakes .wrong")
    expect(limit).to_have_text(re.compile(r"\D10\D000\D000"))
    expect(limit).to_contain_text("€")
    expect(field).to_be_focused()


def test_an_english_table_plays_for_pounds(lend: Callable[..., Phone]) -> None:
    phone = lend(language="en-GB")
    phone.begin_by_tapping(FOUR_NAMES, options={"currency": "GBP"})
    expect(phone.page.locator("main")).to_contain_text("next deal for £0.50")
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator(".verdict")).to_have_text(
        re.compile(r"^Cilla won £0\.50\. Bo had declared")
    )


@pytest.mark.parametrize(
    ("zone", "currency"),
    [
        ("Europe/Stockholm", "SEK"),
        ("Europe/London", "GBP"),
        ("Europe/Dublin", "EUR"),
        ("America/New_York", "chips"),
    ],
)
def test_an_english_phone_is_offered_the_currency_of_its_place(
    lend: Callable[..., Phone], zone: str, currency: str
) -> None:
    phone = lend(language="en-GB", timezone=zone)
    phone.page.goto(phone.url + "/")
    phone.tap("new")
    expect(phone.page.locator(f'input[name="currency"][value="{currency}"]')).to_be_checked()


def test_a_fraction_of_a_chip_is_refused_in_words_for_chips(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/#/new")
    fields = phone.page.locator(".lineup input")
    expect(fields).to_have_count(4)
    for place, name in enumerate(FOUR_NAMES):
        fields.nth(place).fill(name)
    phone.mark("currency", "chips").mark("stake", "free")
    phone.page.locator("#free-stake").fill("0,50")
    phone.tap("open")
    expect(phone.page.locator(".wrong")).to_have_text("Skriv ett heltal.")
