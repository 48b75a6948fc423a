"""A rebuild makes the same rows with any number of processes; an interrupted one does no harm."""

import multiprocessing
import signal
import subprocess
import sys
from threading import Thread

import psycopg
import pytest

from ledger.rebuild import rebuild, shadow_schema
from ledger.store.connection_pool import UnsuitableDatabase
from ledger.store.projection_rows import COLUMNS
from tests.support.ledger import pool_worker
from tests.support.ledger.projection_tables import read_projections
from tests.support.ledger.store_session import act, open_session, play_e1
from tests.support.postgresql import partitioned_tables as partitions

SETTINGS = r"""
SELECT c.relname, c.reloptions, array(SELECT x::text FROM unnest(c.relacl) AS x ORDER BY 1),
       array_agg(x."is" ORDER BY x."is")
  FROM pg_class c JOIN pg_indexes i ON i.tablename = c.relname AND i.schemaname = 'projections'
 CROSS JOIN LATERAL (SELECT regexp_replace(i.indexdef, 'INDEX \S+', 'INDEX')) AS x ("is")
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relkind = 'r' GROUP BY c.oid ORDER BY 1
"""
SHADOW_SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'projections_%'"
DEAL = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"}]  # fmt: skip


def shadow_schemas(urls):
    with psycopg.connect(urls.super) as db:
        return [row[0] for row in db.execute(SHADOW_SCHEMAS)]


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
    names = {"remote": "_fold_remotely", "local": "_fold_batch"}
    return lambda fate: pool_worker.observe(monkeypatch, tmp_path, rebuild, fate=fate, **names)


def test_several_processes_make_the_same_rows_as_one(session_ids, urls, worker):
    before = read_projections(urls)
    for processes in (1, 2):
        if processes == 2:
            worker("works")
        result = rebuild.rebuild(urls.owner, processes=processes)
        assert (result.sessions, result.differed) == (5, 0)
        assert result.rows == sum(map(len, before.values()))
        assert read_projections(urls) == before
    assert shadow_schemas(urls) == []


def test_the_new_tables_have_the_settings_of_the_old_ones(session_ids, urls, process_count):
    with psycopg.connect(urls.super) as db:
        before = db.execute(SETTINGS).fetchall()
        assert len(before) == len(COLUMNS) * partitions.PARTS
    rebuild.rebuild(urls.owner, processes=process_count)
    with psycopg.connect(urls.super) as db:
        assert db.execute(SETTINGS).fetchall() == before


def test_several_processes_repair_tampered_rows(session_ids, urls, worker):
    before = read_projections(urls)
    worker("works")
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.balances SET amount = amount + 5 WHERE player_id = 'p2'")
        db.execute("DELETE FROM projections.journal")
    result = rebuild.rebuild(urls.owner, processes=2)
    assert result.differed == 2 * len(session_ids) + len(before["journal"])
    assert read_projections(urls) == before


def test_writes_during_the_rebuild_are_in_its_tables(session_ids, store, urls, process_count):
    """They go to sessions already folded and to one opened during the rebuild."""
    new = []

    def play_on(n_folded):
        if n_folded == len(session_ids):
            new.append(open_session(store))
            for session_id in (*session_ids[:2], *new):
                act(store, session_id, DEAL)

    result = rebuild.rebuild(urls.owner, play_on, processes=process_count)
    assert (result.sessions, result.differed) == (6, 0)
    assert store.load(new[0]).version == 7
    with psycopg.connect(urls.super) as db:
        table = "SELECT count(*) FROM projections.deals WHERE session_id = %s"
        deal_counts = [db.execute(table, [key]).fetchone() for key in (session_ids[0], *new)]
        assert deal_counts == [(2,), (1,)]


@pytest.mark.parametrize("fate", ["dies at once", "dies after its work"])
def test_the_batch_of_a_killed_worker_is_folded_again(session_ids, urls, worker, fate):
    """This holds whether or not its rows are in the table already."""
    before = read_projections(urls)
    worker(fate)
    result = rebuild.rebuild(urls.owner, processes=2)
    assert (result.sessions, result.differed) == (5, 0)
    assert read_projections(urls) == before


def test_an_event_that_cannot_be_folded_leaves_the_tables_unchanged(session_ids, urls, worker):
    before = read_projections(urls)
    worker("works")
    with psycopg.connect(urls.super) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute(
            "UPDATE vola.events SET data = replace(data, '10', 'x') WHERE type = 'pot_taken'"
        )
    with pytest.raises(Exception, match=r"JSON is malformed|Expected `int`"):
        rebuild.rebuild(urls.owner, processes=2)
    assert read_projections(urls) == before


KILLED = """
import os, signal, sys
from ledger.rebuild import rebuild
rebuild.EVENTS_PER_PROCESS = rebuild.EVENTS_PER_BATCH = 1
rebuild.rebuild(sys.argv[1], lambda _: os.kill(os.getpid(), signal.SIGKILL), processes=3)
"""


def test_a_killed_rebuild_changes_nothing_and_the_next_one_works(session_ids, urls):
    before = read_projections(urls)
    killed = subprocess.run([sys.executable, "-c", KILLED, urls.owner], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert read_projections(urls) == before
    assert shadow_schemas(urls) == ["projections_shadow"]
    assert rebuild.rebuild(urls.owner).differed == 0
    assert read_projections(urls) == before
    assert shadow_schemas(urls) == []


def test_a_worker_that_outlives_its_rebuild_cannot_write_to_the_next(session_ids, urls):
    with psycopg.connect(urls.owner) as db:
        first, second = shadow_schema.create_tables(db), shadow_schema.create_tables(db)
        with pytest.raises(shadow_schema.ShadowReplaced):
            shadow_schema.fill_tables(db, first, [(session_ids[0], 3)], replace=False)
        assert db.execute("SELECT count(*) FROM projections_shadow.journal").fetchone() == (0,)
        assert shadow_schema.fill_tables(db, second, [(session_ids[0], 3)], replace=False) > 0
        db.rollback()


def test_simultaneous_rebuilds_run_one_after_the_other(session_ids, urls, process_count):
    before, results = read_projections(urls), []
    threads = [
        Thread(target=lambda: results.append(rebuild.rebuild(urls.owner, processes=process_count)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.differed for result in results] == [0, 0]
    assert read_projections(urls) == before


def test_workers_end_with_their_rebuild(session_ids, urls, worker):
    worker("works")
    rebuild.rebuild(urls.owner, processes=2)
    assert multiprocessing.active_children() == []


def test_a_long_session_is_a_batch_of_its_own():
    batches = rebuild._batches([("a", 3000), ("b", 1500), ("c", 9000), ("d", 1), ("e", 1)])
    assert [[key for key, _ in batch] for batch in batches] == [["a", "b"], ["c"], ["d", "e"]]


def test_a_rebuild_is_refused_while_the_replaced_tables_are_read(session_ids, urls):
    before = read_projections(urls)
    with psycopg.connect(urls.super) as reader:
        reader.execute("TABLE projections.pot")
        rebuild.rebuild(urls.owner, processes=1)
        with pytest.raises(UnsuitableDatabase, match="reads"):
            rebuild.rebuild(urls.owner, processes=1)
    assert rebuild.rebuild(urls.owner, processes=1).differed == 0
    assert read_projections(urls) == before


def test_differing_rows_are_counted_once_although_play_goes_on(
    session_ids, store, urls, monkeypatch
):
    """One session changes before the differing rows are counted, one after."""
    with psycopg.connect(urls.super) as db:  # rows that no later deal repairs
        db.execute("UPDATE projections.journal SET amount = amount + 5 WHERE version = 2")
    count_rows, counted_sessions = shadow_schema.count_differing_rows, []

    def count_during_play(db, versions):
        if not counted_sessions:
            act(store, session_ids[0], DEAL)
        n_rows = count_rows(db, versions)
        if not counted_sessions:
            act(store, session_ids[1], DEAL)
        counted_sessions.append({session_id for session_id, _ in versions})
        return n_rows

    monkeypatch.setattr(shadow_schema, "count_differing_rows", count_during_play)
    result = rebuild.rebuild(urls.owner, processes=1)
    assert counted_sessions == [set(session_ids), set(session_ids[:2])]
    assert result.differed == 2 * len(session_ids)


def test_rows_of_an_unknown_session_count_as_differing_and_go(session_ids, urls):
    before = read_projections(urls)
    with psycopg.connect(urls.super) as db:
        db.execute("INSERT INTO projections.pot VALUES (gen_random_uuid(), 10)")
        db.execute("INSERT INTO projections.balances VALUES (gen_random_uuid(), 'p1', 10)")
    assert rebuild.rebuild(urls.owner).differed == 2
    assert read_projections(urls) == before
