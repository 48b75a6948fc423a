"""An audit in several processes has the findings of one process, in one snapshot."""

import psycopg
import pytest

from ledger.audit import check_receipts, parallel
from ledger.store.database_snapshot import database_snapshot
from tests.support.ledger import pool_worker
from tests.support.ledger.store_session import act, play_e1

UNLOCKED = "ALTER TABLE vola.events DISABLE TRIGGER USER"
FORGED = "UPDATE vola.events SET at = at + 1 WHERE version = 3 AND session_id = ANY(%s)"


@pytest.fixture
def session_ids(store):
    return [play_e1(store, deals=1) for _ in range(5)]


@pytest.fixture
def worker(monkeypatch, tmp_path):
    """Return a function that sets the fate of a worker, which always gets a session."""
    monkeypatch.setattr(parallel, "SESSIONS_PER_PROCESS", 1)
    monkeypatch.setattr(parallel, "SESSIONS_PER_BATCH", 1)
    names = {"remote": "_audit_remotely", "local": "_audit_batch"}
    return lambda fate: pool_worker.observe(monkeypatch, tmp_path, parallel, fate=fate, **names)


def audit_in_snapshot(urls, session_ids, receipts=None, meanwhile=lambda: None, processes=2):
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        db.execute("SELECT count(*) FROM vola.heads")  # takes the database_snapshot
        meanwhile()
        findings_by_session = parallel.audit_sessions(
            db, urls.audit, session_ids, receipts or {}, processes
        )
        return [
            (session_id, [finding.code for finding in findings])
            for session_id, findings in findings_by_session
        ]


@pytest.mark.parametrize("fate", ["works", "dies at once", "dies after its work"])
def test_two_processes_have_the_findings_of_one_in_the_same_order(session_ids, urls, worker, fate):
    """This holds when a worker is killed, too."""
    with psycopg.connect(urls.super) as db:
        db.execute(UNLOCKED)
        assert db.execute(FORGED, [[session_ids[0], session_ids[3]]]).rowcount == 2
    alone = audit_in_snapshot(urls, session_ids, processes=1)
    assert [session_id for session_id, _ in alone] == session_ids
    assert [codes[:1] for _, codes in alone] == [["hash_wrong"], [], [], ["hash_wrong"], []]
    worker(fate)
    assert audit_in_snapshot(urls, session_ids) == alone


def test_receipts_go_to_the_process_of_their_session(session_ids, store, urls, worker):
    last = store.load(session_ids[2])
    wrong = check_receipts.ReceiptClaim(version=last.version, hash=bytes(32), at=last.at)
    late = check_receipts.ReceiptClaim(version=last.version + 1, hash=bytes(32), at=last.at)
    receipts = {session_ids[2]: [wrong], session_ids[4]: [late]}
    worker("works")
    codes = [codes for _, codes in audit_in_snapshot(urls, session_ids, receipts)]
    assert codes == [[], [], ["rewritten"], [], ["tail_missing"]]


def test_a_write_during_the_audit_is_outside_its_snapshot(session_ids, store, urls, worker):
    """A worker uses the snapshot of its parent, although it starts later."""

    def play_deals():
        for session_id in session_ids:
            act(store, session_id, [{"type": "open_deal"}, {"type": "all_pass"}])

    last = store.load(session_ids[4])
    late = {
        session_id: [check_receipts.ReceiptClaim(version=last.version + 1, hash=b"", at=0)]
        for session_id in session_ids
    }
    worker("works")
    assert [codes for _, codes in audit_in_snapshot(urls, session_ids, late, play_deals)] == [
        ["tail_missing"]
    ] * 5
