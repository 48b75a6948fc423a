"""The rules of a time zone change after a statement of a period was saved: the period stays."""

import json
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from api.http import query_parameters
from api.statements.saved_statement_check import check_saved_statement
from ledger.proofs.statement_note import NOTE_MEMBER
from tests.support.api.group_client import create_group, open_session_with_payments
from tests.support.player_names import FIVE_NAMES

PERIOD = "?lang=en&from=2026-01-01&to=2099-12-31"


def move_stockholm_to_london(patch):
    def changed_zone(name):
        assert name == "Europe/Stockholm"
        with files("tzdata.zoneinfo").joinpath("Europe", "London").open("rb") as file:
            return ZoneInfo.from_file(file, key=name)

    patch.setattr(query_parameters, "ZoneInfo", changed_zone)


@pytest.fixture(params=["session", "group"])
def saved(request, app):
    group = create_group(app.test_client(), *FIVE_NAMES[:3])
    session = open_session_with_payments(group, ("p1", "p2", 10))
    statement = (session if request.param == "session" else group).get(f"/statement{PERIOD}")
    assert statement.status_code == 200
    return statement.data


def test_a_saved_statement_of_a_period_is_still_that_of_the_book(app, saved, monkeypatch):
    move_stockholm_to_london(monkeypatch)
    assert list(check_saved_statement(app, saved)) == []


def test_an_unsigned_statement_has_the_period_of_its_days(app, saved):
    unsigned = json.loads(saved)
    del unsigned[NOTE_MEMBER]
    assert list(check_saved_statement(app, json.dumps(unsigned).encode())) == []
    unsigned["filters"]["begins"] = "2026-01-01T00:00:00.000000Z"
    [(_, finding)] = check_saved_statement(app, json.dumps(unsigned).encode())
    assert finding.detail.endswith("/filters/begins.")
