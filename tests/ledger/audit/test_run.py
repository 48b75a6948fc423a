"""The auditor finds what was tampered with, and has nothing to say about a clean book."""

import dataclasses
import json
from random import Random

import msgspec
import psycopg
import pytest

from engine import events as e
from engine.games import GAMES
from ledger import postings
from ledger.audit import audit, snapshot
from ledger.auditing import kept
from ledger.projections import payments
from ledger.rebuild import rebuild
from ledger.times import iso
from tests.attack.evenings import Table
from tests.attack.forger import Forger
from tests.ledger.evening import act, open_session, play_e1

UNLOCKED = "ALTER TABLE vola.events DISABLE TRIGGER USER"
TABLES = ("pot", "bets", "balances", "payments", "deals", "journal")

TAMPERED = {
    "an amount in an event": (
        "UPDATE vola.events SET data = replace(data, '\"amount\":10', '\"amount\":11')"
        " WHERE type = 'pot_taken' AND version < 12",
        "seal_broken",
    ),
    "who wrote an event": ("UPDATE vola.events SET \"by\" = 'x' WHERE version = 3", "seal_broken"),
    "the time of an event": ("UPDATE vola.events SET at = at + 1 WHERE version = 3", "seal_broken"),
    "an event in the middle is gone": ("DELETE FROM vola.events WHERE version = 4", "hole"),
    "the tail is cut": (
        "DELETE FROM vola.events WHERE version = (SELECT max(version) FROM vola.events)",
        "head_wrong",
    ),
    "two events changed places": (
        "UPDATE vola.events SET version = CASE version WHEN 3 THEN 1004 ELSE 1003 END"
        " WHERE version IN (3, 4);"
        "UPDATE vola.events SET version = version - 1000 WHERE version > 1000",
        "seal_broken",
    ),
    "the head says otherwise": ("UPDATE vola.heads SET hash = sha256('')", "head_wrong"),
    "a balance": (
        "UPDATE projections.balances SET amount = amount + 5 WHERE player_id = 'p2'",
        "projection_differs",
    ),
    "a bet's owner": ("UPDATE projections.bets SET \"by\" = '{p1}'", "projection_differs"),
    "a payment that nobody owes": (
        "INSERT INTO projections.payments SELECT session_id, '1-p1-p2', 1, 'p1', 'p2', 5,"
        " 'settled', 0, NULL FROM vola.heads",
        "projection_differs",
    ),
    "a line of the journal": ("DELETE FROM projections.journal WHERE version = 2",
                              "projection_differs"),
    "the outcome of a deal": ("UPDATE projections.deals SET winner = 'p4' WHERE deal = 1",
                              "projection_differs"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found(store, urls, what):
    session_id = play_e1(store, deals=3)
    statements, code = TAMPERED[what]
    with psycopg.connect(urls.super) as db:
        db.execute(UNLOCKED)
        for statement in statements.split(";"):
            assert db.execute(statement).rowcount > 0
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert code in [finding.code for finding in audit(db, session_id)]


def test_a_clean_book_has_no_findings(store, urls):
    session_id = play_e1(store)
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert audit(db, session_id) == []


def contents(url):
    with psycopg.connect(url) as db:
        return {
            table: db.execute(f"SELECT t::text FROM projections.{table} t ORDER BY 1").fetchall()
            for table in TABLES
        }


def test_a_rebuild_is_byte_for_byte_what_the_appends_had_written(store, urls):
    play_e1(store), play_e1(store, deals=5)
    before = contents(urls.super)
    done = rebuild(urls.owner)
    assert (done.sessions, done.differed) == (2, 0)
    assert contents(urls.super) == before


def test_a_rebuild_mends_what_was_tampered_with_and_says_how_much(store, urls):
    session_id = play_e1(store)
    before = contents(urls.super)
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.balances SET amount = amount + 5 WHERE player_id = 'p2'")
        db.execute("DELETE FROM projections.journal")
    assert rebuild(urls.owner).differed > 2
    assert contents(urls.super) == before
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert audit(db, session_id) == []


def test_the_book_goes_on_after_a_rebuild(store, urls):
    session_id = play_e1(store)
    rebuild(urls.owner)
    act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert audit(db, session_id) == []
    with psycopg.connect(urls.app) as db, pytest.raises(psycopg.Error):
        db.execute("DROP TABLE projections.pot")


def test_a_rebuild_keeps_nobody_from_writing_while_somebody_reads(store, urls):
    session_id = play_e1(store)
    with psycopg.connect(urls.audit) as reader:
        reader.execute("SELECT * FROM projections.journal").fetchall()  # and stays
        rebuild(urls.owner)
        act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])
    rebuild(urls.owner)
    with psycopg.connect(urls.owner) as db:
        old = db.execute("SELECT to_regnamespace('projections_old')").fetchone()
    assert old == (None,)


def receipt_of(store, session_id, version):
    """As the API answers it."""
    stood = store.read(session_id, version)
    said = {"version": version, "hash": stood.hash.hex(), "at": iso(stood.at)}
    (receipt,) = kept.read(json.dumps(said).encode())
    return receipt


def audited(url, session_id, *receipts):
    with psycopg.connect(url) as db, snapshot(db):
        return [finding.code for finding in audit(db, session_id, receipts)]


def test_a_receipt_that_holds_is_no_finding(store, urls):
    session_id = play_e1(store)
    last = store.read(session_id).version
    receipts = [receipt_of(store, session_id, version) for version in (1, 5, last)]
    assert audited(urls.audit, session_id, *receipts) == []


def forging(urls, session_id, change):
    """A change that leaves everything in the database as if it had always been so."""
    with psycopg.connect(urls.super) as db:
        forger = Forger(db, session_id, Random(1), [])
        forger.rewrite(change(forger.history()))


def without_the_last_answer(events):
    return [event for event in events if event.at < events[-1].at]


def a_microsecond_earlier(events):
    for event in events:
        event.at -= 1
    return events


@pytest.mark.parametrize(
    ("change", "code"),
    [(without_the_last_answer, "tail_missing"), (a_microsecond_earlier, "rewritten")],
)
def test_a_forgery_that_is_perfect_is_found_by_whoever_kept_a_receipt(store, urls, change, code):
    table = Table(store, Random("forged"), "polskt_pass")
    table.play(20)
    receipt = receipt_of(store, table.id, store.read(table.id).version)
    assert audited(urls.audit, table.id, receipt) == []
    forging(urls, table.id, change)
    assert audited(urls.audit, table.id) == [], "by itself the database knows nothing of it"
    assert audited(urls.audit, table.id, receipt) == [code]


def test_a_receipt_signed_with_another_key_is_found(store, urls):
    session_id = play_e1(store, deals=1)
    receipt = receipt_of(store, session_id, 1)
    signed = type(receipt)(version=1, hash=receipt.hash, at=receipt.at, signed_with=bytes(32))
    assert audited(urls.audit, session_id, signed) == ["key_changed"]


NO_RECEIPTS = (
    *(b"", b"[]", b"7", b"{}", b'{"version": 1}', b"\xff"),
    b'{"version": 1, "hash": "xy", "at": "2026-11-21T19:30:00Z"}',
    b'{"version": 1, "hash": "00", "at": "2026-11-21T19:30:00"}',
)


@pytest.mark.parametrize("said", NO_RECEIPTS)
def test_what_is_no_receipt_is_said(said):
    with pytest.raises(kept.NotAReceipt):
        kept.read(said)


def half_the_pot(event):
    """A fault in the fold: half of what is taken stays where it was."""
    lines = UNCHANGED(event)
    if isinstance(event, e.PotTaken):
        return tuple(postings.Posting(x.source, x.target, (x.amount + 1) // 2) for x in lines)
    return lines


UNCHANGED = postings._lines


def test_a_fault_in_the_postings_is_found_although_journal_and_tables_agree(
    store, urls, monkeypatch
):
    monkeypatch.setattr(postings, "_lines", half_the_pot)
    session_id = open_session(store)
    deal = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
            {"type": "result", "winner": "p2"}]  # fmt: skip
    act(store, session_id, deal)
    found = audited(urls.audit, session_id)
    assert set(found) == {"sum_wrong"}


def test_a_fault_in_what_is_owed_is_found_although_the_table_agrees(store, urls, monkeypatch):
    """Only the first of those who owe is ever made to pay."""
    unchanged = payments.apply

    def forgetful(legs, recorded):
        made = unchanged(legs, recorded)
        if isinstance(recorded.event, e.LaVolaWon):
            return dict(list(made.items())[: len(legs) + 1])
        return made

    monkeypatch.setattr(payments, "apply", forgetful)
    session_id = play_e1(store)
    assert set(audited(urls.audit, session_id)) == {"sum_wrong"}


def test_an_evening_of_which_only_events_are_left_is_still_found(store, urls):
    from ledger.audit import SESSIONS

    session_id = play_e1(store, deals=1)
    with psycopg.connect(urls.super) as db:
        for table in ("heads", "sessions", "creations", "replies", "players"):
            db.execute(f"DELETE FROM vola.{table}")
    with psycopg.connect(urls.audit) as db:
        assert (session_id,) in db.execute(SESSIONS).fetchall()
    assert audited(urls.audit, session_id) == ["head_missing"]


def test_a_fault_in_the_rules_is_found_although_every_sum_comes_out(store, urls, monkeypatch):
    """The pot goes to somebody who did not win it; the auditor decides the deal once more."""
    game = GAMES["polskt_pass"]

    def unjust(options, table, command):
        return tuple(
            msgspec.structs.replace(fact, player="p3") if isinstance(fact, e.PotTaken) else fact
            for fact in game.decide(options, table, command)
        )

    session_id = open_session(store)
    with monkeypatch.context() as patched:
        patched.setitem(GAMES, "polskt_pass", dataclasses.replace(game, decide=unjust))
        act(store, session_id, [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]}])
        act(store, session_id, [{"type": "result", "winner": "p2"}])
    assert audited(urls.audit, session_id) == ["decided_otherwise"]
