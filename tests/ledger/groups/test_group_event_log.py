"""A group's events stay readable and unchanged: the same bytes, and a chain of hashes over them.

`tests/golden/group_events.jsonl` is only added to, as `events.jsonl` beside it.
"""

import json
from pathlib import Path
from random import Random
from uuid import UUID

import psycopg
import pytest
from msgspec.structs import replace

from ledger.audit.check_groups import check_group_events
from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.groups import group_event_log as log
from ledger.groups import group_events as g
from ledger.store.database_snapshot import database_snapshot
from tests.support.ledger.random_group_events import DIGEST, import_two_results, random_history
from tests.support.ledger.stored_groups import append_events, create_group, load_events

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "golden" / "group_events.jsonl")
    .read_text()
    .splitlines()
]
GROUP_ID = UUID("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9")
PAID = g.GroupTransferRecorded(payer="m1", payee="m2", amount=500, currency="SEK")
LEFT = g.MemberLeft(member="m5")
UNLOCKED = "ALTER TABLE vola.group_events DISABLE TRIGGER USER"

every_line = pytest.mark.parametrize("line", GOLDEN, ids=[line["type"] for line in GOLDEN])


@every_line
def test_a_line_is_read_and_written_again_to_the_same_bytes(line):
    event = log.decode(line["type"], line["schema"], line["data"])
    assert (codec.event_type(event), codec.encode(event)) == (line["type"], line["data"])


@every_line
def test_the_hash_of_a_line_has_never_changed(line):
    at, data = 1_800_000_000_000_000, line["data"]
    fields = chain.HashedFields(1, line["type"], line["schema"], at, "host.0", data)
    assert log.hash_group_event(GROUP_ID, fields, chain.GENESIS_HASH).hex() == line["hash"]
    assert chain.hash_event(GROUP_ID, fields, chain.GENESIS_HASH).hex() != line["hash"]


def test_every_field_of_every_type_has_a_line():
    written = {kind: set() for kind in log.EVENT_CLASSES}
    for line in GOLDEN:
        written[line["type"]] |= set(json.loads(line["data"]))
    assert written == {
        kind: set(struct.__struct_fields__) for kind, struct in log.EVENT_CLASSES.items()
    }


def test_events_are_numbered_and_chained(store):
    group_id, die = create_group(store.pool), Random(1)
    events = random_history(die, 30)
    append_events(store.pool, group_id, events[:10])
    append_events(store.pool, group_id, events[10:])
    recorded = load_events(store.pool, group_id)
    assert [r.event for r in recorded] == events
    assert [r.version for r in recorded] == list(range(1, 31))
    before = chain.GENESIS_HASH
    for event in recorded:
        assert event.hash == log.hash_group_event(group_id, event, before)
        before = event.hash


def test_a_clock_that_was_set_back_does_not_reverse_the_log(store, monkeypatch):
    group_id = create_group(store.pool)
    append_events(store.pool, group_id, [PAID])
    monkeypatch.setattr(log, "NOW", "SELECT 1")
    append_events(store.pool, group_id, [PAID])
    first, second = load_events(store.pool, group_id)
    assert second.at == first.at


def test_each_evening_of_an_import_adds_up_by_itself():
    imported = import_two_results(70)
    (evening,) = imported.evenings
    evenings = tuple(replace(evening, results=(result,)) for result in evening.results)
    assert g.is_balanced(imported)
    assert not g.is_balanced(replace(imported, evenings=evenings))


def test_a_key_appends_once(store):
    group_id = create_group(store.pool)
    first = append_events(store.pool, group_id, [PAID], key="once")
    again = append_events(store.pool, group_id, [PAID], key="once")
    assert (first.moment, first.replayed) == (again.moment, False)
    assert again.replayed
    assert again.moment.events == len(load_events(store.pool, group_id)) == 1


def test_a_refused_change_appends_nothing(store):
    group_id = create_group(store.pool)
    unbalanced = g.BalanceWrittenOff(member="m1", amount=100, currency="SEK", borne_by=())
    with pytest.raises(AssertionError):
        append_events(store.pool, group_id, [PAID, unbalanced])
    assert load_events(store.pool, group_id) == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vola.group_events SET at = at",
        "DELETE FROM vola.group_events",
        "TRUNCATE vola.group_events",
    ],
)
def test_not_even_the_owner_changes_an_event(store, urls, statement):
    append_events(store.pool, create_group(store.pool), [PAID])
    with psycopg.connect(urls.owner) as db, pytest.raises(psycopg.errors.RestrictViolation):
        db.execute(statement)
    with psycopg.connect(urls.app) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute(statement)


SET = "UPDATE vola.group_events SET"
TAMPERED = {
    "an amount": (f"{SET} data = replace(data, '500', '501')", "hash_wrong"),
    "the writer": (f"{SET} \"by\" = 'x' WHERE number = 2", "hash_wrong"),
    "a gap": ("DELETE FROM vola.group_events WHERE number = 2", "hole"),
    "a stranger": (f"{SET} data = replace(data, 'm2', 'm9')", "group_wrong"),
    "an unknown type": (f"{SET} type = 'sung'", "event_unreadable"),
    "other bytes": (f"{SET} data = replace(data, ':', ': ')", "event_unreadable"),
    "letters that no event has": (f"{SET} data = replace(data, 'SEK', '€')", "event_unreadable"),
    "a payment of less than nothing": (
        f"{SET} data = replace(data, '500', '-500')",
        "event_unreadable",
    ),
    "a payment of more than a number holds": (
        f"{SET} data = replace(data, '500', '5{'0' * 30}')",
        "event_unreadable",
    ),
    "an import without evenings": (
        f"{SET} data = regexp_replace(data, '\\[.*\\]', '[]') WHERE number = 3",
        "event_unreadable",
    ),
    "an import of a day that no month has": (
        f"{SET} data = replace(data, '2025-11-01', '2025-02-30')",
        "event_impossible",
    ),
    "a line of a bank for no session": (
        f'{SET} type = \'bank_line_used\', data = \'{{"amount":1,"currency":"SEK",'
        f'"line_sha256":"{DIGEST}","payee":"p1","payer":"p2","session":"urn:uuid:{GROUP_ID}"}}\''
        " WHERE number = 3",
        "event_unreadable",
    ),
    "a sum that is not zero": (f"{SET} data = replace(data, ':250', ':251')", "not_zero"),
    "an import out of order": (
        f"{SET} data = replace(data, '\"number\":1', '\"number\":2')",
        "event_impossible",
    ),
    "a member who leaves twice": (
        f"{SET} type = 'member_left', data = '{{\"member\":\"m5\"}}' WHERE number = 3",
        "event_impossible",
    ),
    "a line of a bank that is used twice": (
        f'{SET} type = \'bank_line_used\', data = \'{{"amount":1,"currency":"SEK",'
        f'"line_sha256":"{DIGEST}","payee":"m1","payer":"m2"}}\'',
        "event_impossible",
    ),
    "a line of a bank that is released unused": (
        f"{SET} type = 'bank_line_released', data = '{{\"line_sha256\":\"{DIGEST}\"}}'"
        " WHERE number = 3",
        "event_impossible",
    ),
    "an earlier time": (f"{SET} at = 5 WHERE number = 2", "time_runs_back"),
}
IMPORT = import_two_results(250)


def audit(urls, group_id):
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        return [finding.code for finding in check_group_events(db, group_id)]


@pytest.mark.parametrize("tampering", TAMPERED)
def test_the_audit_finds_a_tampered_event(store, urls, tampering):
    group_id = create_group(store.pool)
    append_events(store.pool, group_id, [PAID, LEFT, IMPORT])
    assert audit(urls, group_id) == []
    statement, code = TAMPERED[tampering]
    with psycopg.connect(urls.super) as db:
        db.execute(UNLOCKED)
        assert db.execute(statement).rowcount > 0
    assert code in audit(urls, group_id)
