"""A rebuild makes the same rows with any number of processes; an interrupted one does no harm."""

import multiprocessing
import signal
import subprocess
import sys
from threading import Thread

import psycopg
import pytest

from ledger.rebuild import rebuild
from tests.support.ledger import pool_worker
from tests.support.ledger.projection_tables import read_projections
from tests.support.ledger.store_session import act, open_session, play_e1
from tests.verification.attack.stored_sessions import play

MOVE_MONEY = "UPDATE vola.heads SET balances[1] = balances[1] - 5, balances[2] = balances[2] + 5"
DEAL = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"}]  # fmt: skip


@pytest.fixture
def session_ids(store, urls):
    """Five sessions, each a batch of its own."""
    return [play_e1(store, deals) for deals in (1, 7, 2, 5, 3)]


@pytest.fixture
def process_count(monkeypatch):
    """Two processes, with limits low enough that each session is a batch of its own."""
    monkeypatch.setattr(rebuild, "EVENTS_PER_PROCESS", 1)
    monkeypatch.setattr(rebuild, "EVENTS_PER_BATCH", 1)
    return 2


@pytest.fixture
def worker(monkeypatch, tmp_path, process_count):
    """Return a function that sets the fate of a worker, which always gets a batch."""
    names = {"remote": "_rebuild_remotely", "local": "_rebuild_batch"}
    return lambda fate: pool_worker.observe(monkeypatch, tmp_path, rebuild, fate=fate, **names)


def tamper(urls):
    """Change a row or more of every session in every projection, as a superuser."""
    with psycopg.connect(urls.super) as db:
        db.execute(MOVE_MONEY)
        db.execute("DELETE FROM projections.journal WHERE line = 1")
        db.execute("UPDATE projections.journal SET kind = 'transfer', undone_by = 9")
        db.execute("DELETE FROM projections.payments WHERE payer = 'p1'")
        db.execute("UPDATE projections.payments SET amount = amount + 5, status = 'cancelled'")


def test_several_processes_make_the_same_rows_as_one(session_ids, urls, worker):
    before = read_projections(urls)
    for processes in (1, 2):
        if processes == 2:
            worker("works")
        result = rebuild.rebuild(urls.owner, processes=processes)
        assert (result.sessions, result.differed) == (5, 0)
        assert result.rows == sum(map(len, before.values()))
        assert read_projections(urls) == before


def test_several_processes_repair_tampered_rows(session_ids, urls, worker):
    before = read_projections(urls)
    worker("works")
    with psycopg.connect(urls.super) as db:
        db.execute(MOVE_MONEY)
        db.execute("DELETE FROM projections.journal")
    result = rebuild.rebuild(urls.owner, processes=2)
    assert result.differed == 2 * len(session_ids) + len(before["journal"])
    assert read_projections(urls) == before


def test_every_kind_of_tampered_row_is_repaired(session_ids, urls):
    before = read_projections(urls)
    tamper(urls)
    after = read_projections(urls)
    assert all(after[table] != rows for table, rows in before.items())
    assert rebuild.rebuild(urls.owner).differed > 0
    assert read_projections(urls) == before
    assert rebuild.rebuild(urls.owner).differed == 0


def test_sessions_played_at_random_are_rebuilt_as_they_were_written(store, urls):
    for seed in range(8):
        play(store, f"rebuild {seed}", steps=60)
    before = read_projections(urls)
    with psycopg.connect(urls.super) as db:
        types = {kind for (kind,) in db.execute("SELECT DISTINCT type FROM vola.events")}
    assert types >= {"action_undone", "deal_corrected", "deal_voided", "session_reopened"}
    assert rebuild.rebuild(urls.owner).differed == 0
    tamper(urls)
    assert rebuild.rebuild(urls.owner).differed > 0
    assert read_projections(urls) == before


def test_the_head_itself_is_left_to_the_audit(session_ids, urls):
    """A rebuild must not hide that the end of the hash chain was changed."""
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE vola.heads SET hash = sha256(hash), at = 0")
        heads = db.execute("SELECT * FROM vola.heads ORDER BY 1").fetchall()
        db.commit()
        assert rebuild.rebuild(urls.owner).differed == 0
        assert db.execute("SELECT * FROM vola.heads ORDER BY 1").fetchall() == heads


def test_writes_during_the_rebuild_are_kept(session_ids, store, urls, process_count):
    """They go to sessions already folded, to one that is not, and to a new one."""
    new = []

    def play_on(n_folded):
        if not new:
            new.append(open_session(store))
            for session_id in (session_ids[0], session_ids[-1], *new):
                act(store, session_id, DEAL)

    rebuild.rebuild(urls.owner, play_on, processes=process_count)
    assert store.load(new[0]).version == 7
    after = read_projections(urls)
    assert rebuild.rebuild(urls.owner).differed == 0
    assert read_projections(urls) == after


@pytest.mark.parametrize("fate", ["dies at once", "dies after its work"])
def test_the_batch_of_a_killed_worker_is_folded_again(session_ids, urls, worker, fate):
    """This holds whether or not its rows are in the table already."""
    before = read_projections(urls)
    tamper(urls)
    worker(fate)
    assert rebuild.rebuild(urls.owner, processes=2).sessions == 5
    assert read_projections(urls) == before


def test_an_event_that_cannot_be_folded_leaves_the_tables_unchanged(session_ids, urls, worker):
    before = read_projections(urls)
    worker("works")
    with psycopg.connect(urls.super) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute(
            "UPDATE vola.events SET data = replace(data, '10', 'x') WHERE type = 'pot_taken'"
        )
    with pytest.raises(rebuild.DamagedSession, match="its events cannot have happened"):
        rebuild.rebuild(urls.owner, processes=2)
    assert read_projections(urls) == before


KILLED = """
import os, signal, sys
from ledger.rebuild import rebuild
rebuild.EVENTS_PER_PROCESS = rebuild.EVENTS_PER_BATCH = 1
rebuild.rebuild(sys.argv[1], lambda _: os.kill(os.getpid(), signal.SIGKILL), processes=3)
"""


def test_a_killed_rebuild_does_no_harm_and_the_next_one_finishes(session_ids, urls):
    before = read_projections(urls)
    tamper(urls)
    killed = subprocess.run([sys.executable, "-c", KILLED, urls.owner], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    rebuild.rebuild(urls.owner)
    assert read_projections(urls) == before


def test_simultaneous_rebuilds_repair_every_session_once(session_ids, urls, process_count):
    before, results = read_projections(urls), []
    with psycopg.connect(urls.super) as db:
        db.execute(MOVE_MONEY)
    threads = [
        Thread(target=lambda: results.append(rebuild.rebuild(urls.owner, processes=process_count)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(result.differed for result in results) == 2 * len(session_ids)
    assert read_projections(urls) == before


def test_workers_end_with_their_rebuild(session_ids, urls, worker):
    worker("works")
    rebuild.rebuild(urls.owner, processes=2)
    assert multiprocessing.active_children() == []


def test_a_long_session_is_a_batch_of_its_own():
    batches = rebuild._batches([("a", 3000), ("b", 1500), ("c", 9000), ("d", 1), ("e", 1)])
    assert list(batches) == [["a", "b"], ["c"], ["d", "e"]]


def test_a_session_that_differs_waits_for_a_writer_and_no_other_does(session_ids, store, urls):
    before = read_projections(urls)
    with psycopg.connect(urls.super) as db:
        db.execute(MOVE_MONEY + " WHERE session_id = %s", [session_ids[0]])
    lock = "SELECT FROM vola.heads WHERE session_id = ANY(%s) FOR UPDATE"
    with psycopg.connect(urls.super) as writer:
        writer.execute(lock, [session_ids[1:]])
        assert rebuild.rebuild(urls.owner, processes=1).differed == 2
        assert read_projections(urls) == before


def test_rows_of_an_unknown_session_count_as_differing_and_go(session_ids, urls):
    before = read_projections(urls)
    with psycopg.connect(urls.super) as db:
        db.execute(
            "INSERT INTO projections.payments"
            " SELECT gen_random_uuid(), 'x', 1, 'p1', 'p2', 10, 'settled', 0, NULL"
        )
        db.execute(
            "INSERT INTO projections.journal"
            " SELECT gen_random_uuid(), 1, 1, 1, 'transfer', 'player:p1', 'player:p2', 10, NULL"
        )
    assert rebuild.rebuild(urls.owner).differed == 2
    assert read_projections(urls) == before
