"""`vola audit` says what it has checked, and each thing that is wrong once."""

import json

import psycopg
import pytest

from ledger.audit import check_groups
from tests.support.api.command_line import invoke_vola
from tests.support.api.group_client import create_group
from tests.support.app import app_over
from tests.support.ledger.store_session import act, open_session
from tests.support.player_names import FIVE_NAMES

TRICKS = ("p2 AH, p3 9S, p4 KH, p1 QH", "p3 9H, p4 KC, p1 QC, p2 10C")
"""Cilla ruffs hearts in the first trick and leads a heart to the second."""


@pytest.fixture
def group(urls):
    """A group with three evenings, and a payment between two members."""
    with app_over(urls) as app:
        group = create_group(app.test_client(), *FIVE_NAMES)
        group.sessions = tuple(group.open_session() for _ in range(3))
        paid = {"from": "m1", "to": "m2", "amount": 500, "currency": "SEK"}
        assert group.write("/transfers", paid).status_code == 201
        yield group


def tamper(urls, statement):
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")  # no trigger protects the events
        assert db.execute(statement).rowcount > 0


def test_a_revoke_is_shown_and_is_no_fault_of_the_book(environment, store):
    session_id = open_session(store)
    declared = {"type": "declare", "players": ["p2"], "trump": "S"}
    act(store, session_id, [{"type": "open_deal"}, declared])
    for trick in TRICKS:
        cards = [card.split() for card in trick.split(", ")]
        act(store, session_id, [{"type": "play", "player": p, "card": card} for p, card in cards])
    result = invoke_vola("audit", **environment)
    assert result.returncode == 0, result.stderr
    revoke, outcome = result.stdout.splitlines()
    assert revoke.endswith(": revoke: p3 played 9S to trick 1, holding 9H.")
    assert outcome == "1 session, nothing wrong in the book"


def test_a_group_is_audited_once_for_all_its_evenings(environment, urls, group, monkeypatch):
    tamper(urls, "UPDATE vola.group_events SET at = at + 1")
    checked_ids, load_events = [], check_groups.load_stored_events

    def load_and_note(db, group_id):
        checked_ids.append(str(group_id))
        return load_events(db, group_id)

    monkeypatch.setattr(check_groups, "load_stored_events", load_and_note)
    result = invoke_vola("audit", "--json", **environment)
    (finding,) = map(json.loads, result.stdout.splitlines())
    assert (finding["session"], finding["code"]) == (f"group {group.id}", "hash_wrong")
    assert checked_ids == [group.id]


def test_a_group_is_audited_though_its_evenings_cannot_be(environment, urls, group):
    tamper(urls, "UPDATE vola.group_events SET at = at + 1")
    tamper(urls, "UPDATE vola.events SET at = at + 1")
    result = invoke_vola("audit", "--json", **environment)
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert {f["session"] for f in findings} == {
        f"group {group.id}",
        *(s.id for s in group.sessions),
    }


def test_the_audit_of_one_evening_includes_its_group(environment, urls, group):
    tamper(urls, "UPDATE vola.group_events SET at = at + 1")
    evening = group.sessions[0]
    result = invoke_vola("audit", evening.id, **environment)
    assert result.stdout.startswith(f"group {group.id}: hash_wrong: Event 1 of the group: ")
    codes = [finding["code"] for finding in evening.get("/audit").json["findings"]]
    assert codes == ["hash_wrong"]


def test_what_was_never_signed_is_reported_with_its_evening(environment, group, tmp_path):
    statement = group.get("/statement").json
    evening = statement["sessions"][1]
    evening["hash"] = "0" * 64
    nameless = {name: evening[name] for name in ("version", "hash", "key", "checkpoint")}
    for document, name in ((statement, evening["session"]), (nameless, "saved.json")):
        file = tmp_path / "saved.json"
        file.write_text(json.dumps(document))
        result = invoke_vola("audit", "--json", "--receipt", str(file), **environment)
        findings = list(map(json.loads, result.stdout.splitlines()))
        (finding,) = [finding for finding in findings if finding["code"] == "receipt_wrong"]
        assert finding["session"].endswith(name)
