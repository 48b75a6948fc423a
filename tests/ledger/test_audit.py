"""The auditor finds what was tampered with, and has nothing to say about a clean book."""

import psycopg
import pytest

from ledger.audit import audit, snapshot
from ledger.rebuild import rebuild
from tests.ledger.evening import play_e1

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
    from tests.ledger.evening import act

    session_id = play_e1(store)
    rebuild(urls.owner)
    act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert audit(db, session_id) == []
    with psycopg.connect(urls.app) as db, pytest.raises(psycopg.Error):
        db.execute("DROP TABLE projections.pot")


def test_a_rebuild_keeps_nobody_from_writing_while_somebody_reads(store, urls):
    from tests.ledger.evening import act

    session_id = play_e1(store)
    with psycopg.connect(urls.audit) as reader:
        reader.execute("SELECT * FROM projections.journal").fetchall()  # and stays
        rebuild(urls.owner)
        act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])
    rebuild(urls.owner)
    with psycopg.connect(urls.owner) as db:
        old = db.execute("SELECT to_regnamespace('projections_old')").fetchone()
    assert old == (None,)
