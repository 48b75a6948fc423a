"""A guest who becomes a member when a later session carries the guest's balance forward: statements
from before keep what they said."""

import json

import pytest

from api.i18n.catalog import catalog
from api.statements.saved_statement_check import check_saved_statement
from ledger.proofs.statement_note import NOTE_MEMBER
from tests.support.api.group_client import GroupClient, create_group, has_no_findings
from tests.support.api.guest_session import play_with_guests
from tests.support.api.two_sessions import get_statement
from tests.support.player_names import FIVE_NAMES


@pytest.fixture
def group(app) -> GroupClient:
    group = create_group(app.test_client(), *FIVE_NAMES[:3])
    play_with_guests(group)
    return group


def carry_forward(group: GroupClient) -> None:
    group.open_session("m1", "m2", "m3", carry=True)
    assert [member["name"] for member in group.state["members"]] == ["Ada", "Bo", "Cilla", "Disa"]


@pytest.mark.parametrize("query", ["", "&member=m1"])
def test_a_saved_statement_with_a_guest_still_is_that_of_the_book(app, group, query):
    saved = group.get(f"/statement?lang=en{query}").data
    carry_forward(group)
    assert list(check_saved_statement(app, saved)) == []


def test_the_link_of_a_statement_with_a_guest_still_holds(group):
    page = get_statement(group, "?lang=en")["page"].removeprefix("http://localhost")
    before = group.client.get(page).text
    carry_forward(group)
    after = group.client.get(page).text
    assert catalog("en")["printed"]["holds"] in before
    assert catalog("en")["printed"]["holds"] in after
    assert "1 of the evenings has gone on since" in after
    assert after.partition("<main>")[2] == before.partition("<main>")[2]


def test_a_new_statement_has_the_guest_as_a_member(app, group):
    assert get_statement(group)["others"] == 10
    carry_forward(group)
    saved = group.get("/statement?lang=en")
    assert (saved.json["others"], saved.json["balances"]["m4"]) == (0, 10)
    assert saved.json["lines"][1]["to"] == "member:m4"
    assert list(check_saved_statement(app, saved.data)) == []
    assert has_no_findings(group)


def test_an_unsigned_statement_has_no_members_who_came_later(app, group):
    unsigned = get_statement(group, "?lang=en")
    del unsigned[NOTE_MEMBER]
    assert group.write("/members", {"name": "Emil"}).status_code == 201
    assert list(check_saved_statement(app, json.dumps(unsigned).encode())) == []
    del unsigned["balances"]["m1"]
    [(_, finding)] = check_saved_statement(app, json.dumps(unsigned).encode())
    assert finding.detail.endswith("/balances/m1.")


def test_a_guest_does_not_become_a_member_who_has_left(group):
    assert group.write("/members", {"name": "Disa"}).status_code == 201
    left = group.write("/members/m4/departure", {}, role="host")
    assert left.status_code == 201, left.json
    group.open_session("m1", "m2", "m3", carry=True)
    members = {member["id"]: member["name"] for member in group.state["members"]}
    assert members == {"m1": "Ada", "m2": "Bo", "m3": "Cilla", "m4": "Disa", "m5": "Medlem 5"}
    assert get_statement(group)["balances"]["m5"] == 10
    assert has_no_findings(group)
