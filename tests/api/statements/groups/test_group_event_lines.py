"""A group's statement shows what was settled over several evenings, in a section of its own."""

import json

import pytest

from api.i18n.catalog import LANGUAGES
from api.statements.saved_statement_check import check_saved_statement
from tests.support.api.group_client import create_group, open_session_with_payments
from tests.support.proofs.verifier import verify


@pytest.fixture
def group(app):
    """Bo owes Ada 100 kr, pays 40, and leaves; Ada and Cilla bear the rest."""
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    open_session_with_payments(group, ("p1", "p2", 10_000))
    return group


def settle(group):
    paid = {"from": "m2", "to": "m1", "amount": 4000, "currency": "SEK"}
    assert group.write("/transfers", paid).status_code == 201
    leaves = {"agreement": "write_off", "borne_by": ["m1", "m3"]}
    assert group.write("/members/m2/departure", leaves).status_code == 201


def statement(group, query=""):
    return group.get(f"/statement?lang=en{query}")


def test_each_event_is_shown_with_its_reason_and_is_in_no_sum(group):
    before = statement(group).json
    assert "group_events" not in before
    settle(group)
    after = statement(group).json
    shown = [
        (e["type"], e["changes"], e["why"].replace("\xa0", " ")) for e in after["group_events"]
    ]
    assert shown == [
        ("group_transfer_recorded", {"m1": -4000, "m2": 4000}, "Bo has paid Ada 40 kr"),
        (
            "balance_written_off",
            {"m1": -3000, "m2": 6000, "m3": -3000},
            "What Bo owes, 60 kr, is written off and borne by Ada 30 kr, Cilla 30 kr",
        ),
        ("member_left", {}, "Bo left the group"),
    ]
    for field in ("results", "balances", "others", "on_tables", "lines", "closing"):
        assert after[field] == before[field]


def test_the_shares_of_a_balance_have_equally_many_decimals(group):
    open_session_with_payments(group, ("p1", "p2", 1))
    leaves = {"agreement": "write_off", "borne_by": ["m1", "m3"]}
    assert group.write("/members/m2/departure", leaves).status_code == 201
    why = statement(group).json["group_events"][0]["why"].replace("\xa0", " ")
    assert why.endswith("borne by Ada 50,01 kr, Cilla 50,00 kr")


def test_a_member_called_like_an_erased_one_bears_a_share_as_well(app):
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla", "Member 3")
    open_session_with_payments(group, ("p1", "p2", 9000))
    assert group.write("/members/m3/name", method="DELETE").status_code == 200
    leaves = {"agreement": "write_off", "borne_by": ["m1", "m3", "m4"]}
    assert group.write("/members/m2/departure", leaves).status_code == 201
    why = statement(group).json["group_events"][0]["why"].replace("\xa0", " ")
    assert why.endswith("borne by Ada 30 kr, Member 3 30 kr, Member 3 30 kr")


def test_a_holder_sees_the_events_that_concern_the_holder(group):
    settle(group)
    own = statement(group, "&member=m3").json["group_events"]
    assert [event["type"] for event in own] == ["balance_written_off"]
    assert "group_events" not in statement(group, "&to=2020-01-01").json


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("file_format", ["html", "pdf"])
def test_pages_and_prints_have_the_section(group, language, file_format):
    settle(group)
    answer = group.get(f"/statement?format={file_format}&lang={language}")
    assert answer.status_code == 200
    if file_format == "html":
        assert "Cilla 30" in answer.text
        assert "statement.group" not in answer.text


def test_the_statement_is_made_anew_and_verified(app, group):
    settle(group)
    saved = statement(group).data
    assert verify.verify_document(saved)[0] == 0
    paid = {"from": "m3", "to": "m1", "amount": 5, "currency": "SEK"}
    assert group.write("/transfers", paid).status_code == 201
    assert list(check_saved_statement(app, saved)) == []
    changed = json.loads(saved)
    changed["group_events"][0]["changes"]["m1"] = -5000
    assert list(check_saved_statement(app, json.dumps(changed).encode())) != []


def test_a_new_payment_changes_the_tag_of_the_statement(group):
    before = statement(group).headers["ETag"]
    settle(group)
    assert statement(group).headers["ETag"] != before
