"""A statement of a period before a group used its currency is the same when it is made again."""

import pytest

from api.i18n.catalog import catalog
from api.statements.saved_statement_check import check_saved_statement
from tests.support.api.balance_import import import_body
from tests.support.api.group_client import create_group, open_session_with_payments
from tests.support.player_names import FIVE_NAMES

TRANSFER = {"from": "m1", "to": "m2", "amount": 10, "currency": "DKK"}
EVENING = b"Datum;Ada;Bo\n2024-01-05;10;-10\n"
RECORDED = {
    "/transfers": TRANSFER,
    "/imports": {**import_body(EVENING, currency="DKK"), "settled": True},
}


@pytest.fixture
def group(app):
    group = create_group(app.test_client(), *FIVE_NAMES[:3])
    open_session_with_payments(group, ("p1", "p2", 10))
    return group


@pytest.mark.parametrize("path", RECORDED)
def test_a_currency_of_a_later_event_is_known(app, group, path):
    assert group.write(path, RECORDED[path]).status_code == 201
    saved = group.get("/statement?lang=en&currency=DKK&to=2020-01-01")
    assert saved.status_code == 200
    assert list(check_saved_statement(app, saved.data)) == []
    printed = group.client.get(saved.json["page"].removeprefix("http://localhost"))
    assert catalog("en")["printed"]["holds"] in printed.text


def test_a_page_says_which_currencies_have_statements_of_their_own(group):
    path = "/statement?format=html&lang=en&currency=SEK"
    first = group.get(path)
    assert "statements of its own" not in first.text
    assert group.write("/transfers", TRANSFER).status_code == 201
    page = group.get(path, **{"If-None-Match": first.headers["ETag"]})
    assert "Only SEK. What is in DKK has statements of its own." in page.text
