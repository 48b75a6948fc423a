"""The audit finds each kind of tampering, and has no findings for a clean ledger."""

import dataclasses
import json
from random import Random

import msgspec
import psycopg
import pytest

from engine import events as e
from engine.games.registry import GAMES
from ledger.audit import check_receipts
from ledger.audit.run import audit_session
from ledger.events.timestamps import format_timestamp
from ledger.projections import la_vola_payments as payments
from ledger.projections import postings
from ledger.rebuild.rebuild import rebuild
from ledger.store.database_snapshot import database_snapshot
from tests.support.ledger.projection_tables import read_projections
from tests.support.ledger.store_session import act, open_session, play_e1
from tests.support.session_forger import move_back
from tests.verification.attack.forger import Forger
from tests.verification.attack.stored_sessions import open_table

UNLOCKED = "ALTER TABLE vola.events DISABLE TRIGGER USER"

TAMPERED = {
    "an amount in an event": (
        "UPDATE vola.events SET data = replace(data, '\"amount\":10', '\"amount\":11')"
        " WHERE type = 'pot_taken' AND version < 12",
        "hash_wrong",
    ),
    "who wrote an event": ("UPDATE vola.events SET \"by\" = 'x' WHERE version = 3", "hash_wrong"),
    "the time of an event": ("UPDATE vola.events SET at = at + 1 WHERE version = 3", "hash_wrong"),
    "an event in the middle is gone": ("DELETE FROM vola.events WHERE version = 4", "hole"),
    "the tail is cut": (
        "DELETE FROM vola.events WHERE version = (SELECT max(version) FROM vola.events)",
        "head_wrong",
    ),
    "two events changed places": (
        "UPDATE vola.events SET version = CASE version WHEN 3 THEN 1004 ELSE 1003 END"
        " WHERE version IN (3, 4);"
        "UPDATE vola.events SET version = version - 1000 WHERE version > 1000",
        "hash_wrong",
    ),
    "the head says otherwise": ("UPDATE vola.heads SET hash = sha256('')", "head_wrong"),
    "a balance": (
        "UPDATE vola.heads SET balances[1] = balances[1] - 5, balances[2] = balances[2] + 5",
        "projection_differs",
    ),
    "a bet's owner": ("UPDATE vola.heads SET bets[1].by = '{p1}'", "projection_differs"),
    "a payment that nobody owes": (
        "INSERT INTO projections.payments SELECT session_id, '1-p1-p2', 1, 'p1', 'p2', 5,"
        " 'settled', 0, NULL FROM vola.heads",
        "projection_differs",
    ),
    "a line of the journal": ("DELETE FROM projections.journal WHERE version = 2",
                              "projection_differs"),
}  # fmt: skip


@pytest.mark.parametrize("tampering", TAMPERED)
def test_tampering_is_found(store, urls, tampering):
    session_id = play_e1(store, deals=3)
    statements, code = TAMPERED[tampering]
    with psycopg.connect(urls.super) as db:
        db.execute(UNLOCKED)
        for statement in statements.split(";"):
            assert db.execute(statement).rowcount > 0
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert code in [finding.code for finding in audit_session(db, session_id)]


def test_a_clean_book_has_no_findings(store, urls):
    session_id = play_e1(store)
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []


def test_an_audit_is_not_compiled_on_a_server_that_compiles(store, urls):
    session_id = play_e1(store)
    with psycopg.connect(urls.audit, options="-c jit=on") as db, database_snapshot(db):
        assert audit_session(db, session_id) == []
        assert db.execute("SHOW jit").fetchone() == ("off",)


def test_an_audit_is_the_same_however_the_server_writes_bytes(store, urls):
    session_id = play_e1(store)
    escaped = "-c bytea_output=escape"
    with psycopg.connect(urls.audit, options=escaped) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []


def test_a_rebuild_makes_the_same_rows_as_the_appends(store, urls):
    play_e1(store), play_e1(store, deals=5)
    before = read_projections(urls)
    result = rebuild(urls.owner)
    assert (result.sessions, result.differed) == (2, 0)
    assert read_projections(urls) == before


def test_a_rebuild_repairs_and_counts_tampered_rows(store, urls):
    session_id = play_e1(store)
    before = read_projections(urls)
    with psycopg.connect(urls.super) as db:
        db.execute(
            "UPDATE vola.heads SET balances[1] = balances[1] - 5, balances[2] = balances[2] + 5"
        )
        db.execute("DELETE FROM projections.journal")
    assert rebuild(urls.owner).differed > 2
    assert read_projections(urls) == before
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []


def test_play_continues_after_a_rebuild(store, urls):
    session_id = play_e1(store)
    rebuild(urls.owner)
    act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []
    with psycopg.connect(urls.app) as db, pytest.raises(psycopg.Error):
        db.execute("DROP VIEW projections.pot")


def test_a_rebuild_during_a_long_read_does_not_block_writes(store, urls):
    session_id = play_e1(store)
    with psycopg.connect(urls.audit) as reader:
        reader.execute("SELECT * FROM projections.journal").fetchall()  # keeps its transaction open
        rebuild(urls.owner)
        act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])


def receipt_of(store, session_id, version):
    """Return the receipt of a version as the API gives it."""
    session = store.load(session_id, version)
    receipt = {"version": version, "hash": session.hash.hex(), "at": format_timestamp(session.at)}
    (claim,) = check_receipts.read_receipts(json.dumps(receipt).encode())
    return claim


def finding_codes(url, session_id, *receipts):
    with psycopg.connect(url) as db, database_snapshot(db):
        return [finding.code for finding in audit_session(db, session_id, receipts)]


def test_a_valid_receipt_is_no_finding(store, urls):
    session_id = play_e1(store)
    last = store.load(session_id).version
    receipts = [receipt_of(store, session_id, version) for version in (1, 5, last)]
    assert finding_codes(urls.audit, session_id, *receipts) == []


def rewrite_history(urls, session_id, change):
    """Apply a change so that the database shows no trace of it."""
    with psycopg.connect(urls.super) as db:
        forger = Forger(db, session_id, Random(1), [])
        forger.rewrite(change(forger.history()))


def without_the_last_answer(events):
    return [event for event in events if event.at < events[-1].at]


@pytest.mark.parametrize(
    ("change", "code"),
    [(without_the_last_answer, "tail_missing"), (move_back, "rewritten")],
)
def test_a_perfect_forgery_is_found_with_a_receipt(store, urls, change, code):
    table = open_table(store, Random("forged"), "polskt_pass")
    table.play(20)
    receipt = receipt_of(store, table.id, store.load(table.id).version)
    assert finding_codes(urls.audit, table.id, receipt) == []
    rewrite_history(urls, table.id, change)
    assert finding_codes(urls.audit, table.id) == [], "without a receipt the forgery is not found"
    assert finding_codes(urls.audit, table.id, receipt) == [code]


def test_a_receipt_signed_with_another_key_is_found(store, urls):
    session_id = play_e1(store, deals=1)
    receipt = receipt_of(store, session_id, 1)
    signed = type(receipt)(version=1, hash=receipt.hash, at=receipt.at, signed_with=bytes(32))
    assert finding_codes(urls.audit, session_id, signed) == ["key_changed"]


NO_RECEIPTS = (
    *(b"", b"[]", b"7", b"{}", b'{"version": 1}', b"\xff"),
    b'{"version": 1, "hash": "xy", "at": "2026-11-21T19:30:00Z"}',
    b'{"version": 1, "hash": "00", "at": "2026-11-21T19:30:00"}',
)


@pytest.mark.parametrize("document", NO_RECEIPTS)
def test_a_malformed_receipt_is_refused(document):
    with pytest.raises(check_receipts.NotAReceipt):
        check_receipts.read_receipts(document)


def half_the_pot(event):
    """Return the postings of a taken pot, with half of it."""
    lines = UNCHANGED(event)
    return tuple(postings.Posting(x.source, x.target, (x.amount + 1) // 2) for x in lines)


UNCHANGED = postings.LINES_BY_TYPE[e.PotTaken]


def test_a_fault_in_the_postings_is_found_although_all_tables_agree(store, urls, monkeypatch):
    monkeypatch.setitem(postings.LINES_BY_TYPE, e.PotTaken, half_the_pot)
    session_id = open_session(store)
    deal = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
            {"type": "result", "winner": "p2"}]  # fmt: skip
    act(store, session_id, deal)
    codes = finding_codes(urls.audit, session_id)
    assert set(codes) == {"sum_wrong"}


def test_a_fault_in_the_payments_is_found_although_the_table_agrees(store, urls, monkeypatch):
    """Only the first debtor gets a payment."""
    unchanged = payments.apply

    def forgetful(legs, recorded):
        payment_legs = unchanged(legs, recorded)
        if isinstance(recorded.event, e.LaVolaWon):
            return dict(list(payment_legs.items())[: len(legs) + 1])
        return payment_legs

    monkeypatch.setattr(payments, "apply", forgetful)
    session_id = play_e1(store)
    assert set(finding_codes(urls.audit, session_id)) == {"sum_wrong"}


def test_a_session_with_nothing_but_events_is_still_audited(store, urls):
    from ledger.audit.run import SESSION_IDS

    session_id = play_e1(store, deals=1)
    with psycopg.connect(urls.super) as db:
        for table in ("heads", "sessions", "creation_keys", "stored_replies", "players"):
            db.execute(f"DELETE FROM vola.{table}")
    with psycopg.connect(urls.audit) as db:
        assert (session_id,) in db.execute(SESSION_IDS).fetchall()
    assert finding_codes(urls.audit, session_id) == ["head_missing"]


def test_a_fault_in_the_rules_is_found_although_all_sums_are_right(store, urls, monkeypatch):
    """The pot goes to a player who did not win it; the audit decides the deal again."""
    game = GAMES["polskt_pass"]

    def unjust(table, command):
        return tuple(
            msgspec.structs.replace(fact, player="p3") if isinstance(fact, e.PotTaken) else fact
            for fact in game.decide(table, command)
        )

    with monkeypatch.context() as patched:
        patched.setitem(GAMES, "polskt_pass", dataclasses.replace(game, decide=unjust))
        session_id = open_session(store)
        act(store, session_id, [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]}])
        act(store, session_id, [{"type": "result", "winner": "p2"}])
    assert finding_codes(urls.audit, session_id) == ["decision_differs"]
