"""A statement of a group goes as far as a time. What is recorded later, with the same time or an
earlier one because a clock was set back, is not in it when it is made again."""

import pytest

from api.i18n.catalog import catalog
from api.statements.saved_statement_check import check_saved_statement
from ledger.store import event_store
from tests.support.api.group_client import create_group
from tests.support.api.two_sessions import get_statement
from tests.support.player_names import FIVE_NAMES

HOUR_MICROS = 3600 * 1_000_000
PASSED = ({"type": "open_deal"}, {"type": "all_pass"})


@pytest.fixture
def group(app):
    """A group at two tables. The clock was an hour ahead when the first deal was recorded, at the
    first table."""
    group = create_group(app.test_client(), *FIVE_NAMES, "Fia")
    group.tables = group.open_session("m1", "m2", "m3"), group.open_session("m4", "m5", "m6")
    original = event_store.build_changes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            event_store,
            "build_changes",
            lambda before, decision, now, asked: original(
                before, decision, now + HOUR_MICROS, asked
            ),
        )
        group.tables[0].act(*PASSED)
    return group


def assert_holds(before, after, later_text):
    """Assert that a page shows and judges the statement as before, and says what it leaves out."""
    assert catalog("en")["printed"]["holds"] in before
    assert later_text not in before
    [later] = [line for line in after.splitlines() if later_text in line]
    assert "".join(after.replace(later, "").split()) == "".join(before.split())


@pytest.mark.parametrize("table", [0, 1])
def test_a_saved_statement_ends_where_it_ended(app, group, table):
    saved = group.get("/statement?lang=en").data
    group.tables[table].act(*PASSED)
    assert list(check_saved_statement(app, saved)) == []


def test_a_saved_statement_has_no_later_event_of_the_group(app, group):
    transfer = {"from": "m1", "to": "m2", "amount": 10, "currency": "SEK"}
    assert group.write("/transfers", transfer).status_code == 201
    saved = group.get("/statement?lang=en").data
    assert group.write("/transfers", transfer).status_code == 201
    assert list(check_saved_statement(app, saved)) == []


def test_a_printed_statement_ends_where_two_tables_were(group):
    path = get_statement(group, "?lang=en")["page"].removeprefix("http://localhost")
    before = group.client.get(path).text
    for table in (0, 1, 1, 0):
        group.tables[table].act(*PASSED)
    assert_holds(before, group.client.get(path).text, "2 of the evenings have gone on since")


@pytest.mark.parametrize("table", [0, 1])
def test_a_printed_statement_ends_where_it_ended(group, table):
    path = get_statement(group, "?lang=en")["page"].removeprefix("http://localhost")
    before = group.client.get(path).text
    for _ in range(3):
        group.tables[table].act(*PASSED)
    assert_holds(before, group.client.get(path).text, "1 of the evenings has gone on since")
