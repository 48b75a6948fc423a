"""Everything folded anew comes to the same, by however two; whatever breaks off hurts nobody."""

import os
import signal
import subprocess
import sys
from threading import Thread

import psycopg
import pytest

from ledger import crew, rebuild, shadow
from ledger.database import DatabaseUnfit
from ledger.projector import COLUMNS
from tests import partitions
from tests.ledger import helping
from tests.ledger.evening import act, open_session, play_e1

ROWS = "SELECT t::text FROM projections.{} t ORDER BY 1"
SETTINGS = r"""
SELECT c.relname, c.reloptions, array(SELECT x::text FROM unnest(c.relacl) AS x ORDER BY 1),
       array_agg(x."is" ORDER BY x."is")
  FROM pg_class c JOIN pg_indexes i ON i.tablename = c.relname AND i.schemaname = 'projections'
 CROSS JOIN LATERAL (SELECT regexp_replace(i.indexdef, 'INDEX \S+', 'INDEX')) AS x ("is")
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relkind = 'r' GROUP BY c.oid ORDER BY 1
"""
LEFT = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'projections_%'"
DEAL = [{"type": "open_deal"}, {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"}]  # fmt: skip


def contents(urls):
    with psycopg.connect(urls.super) as db:
        return {table: db.execute(ROWS.format(table)).fetchall() for table in COLUMNS}


def left_behind(urls):
    with psycopg.connect(urls.super) as db:
        return [row[0] for row in db.execute(LEFT)]


@pytest.fixture
def evenings(store, urls):
    """Of which each is a part of its own, so that there is something to share."""
    return [play_e1(store, deals) for deals in (1, 7, 2, 5, 3)]


@pytest.fixture
def two(monkeypatch):
    """A helper is worth it, and an evening is a part."""
    monkeypatch.setattr(rebuild, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(rebuild, "EVENTS_AT_ONCE", 1)
    return 2


@pytest.fixture
def helper(monkeypatch, tmp_path, two):
    """What a helper does with a part, which it surely gets."""
    return lambda does: helping.instead(monkeypatch, tmp_path, rebuild, "_fold", does)


def test_several_processes_come_to_the_same_as_one(evenings, urls, helper):
    before = contents(urls)
    for processes in (1, 2):
        if processes == 2:
            helper("return work(part)")
        done = rebuild.rebuild(urls.owner, processes=processes)
        assert (done.sessions, done.differed) == (5, 0)
        assert done.rows == sum(map(len, before.values()))
        assert contents(urls) == before
    assert left_behind(urls) == []


def test_the_new_tables_are_made_as_the_old_ones_were(evenings, urls, two):
    with psycopg.connect(urls.super) as db:
        before = db.execute(SETTINGS).fetchall()
        assert len(before) == len(COLUMNS) * partitions.PARTS
    rebuild.rebuild(urls.owner, processes=two)
    with psycopg.connect(urls.super) as db:
        assert db.execute(SETTINGS).fetchall() == before


def test_several_processes_mend_what_was_tampered_with(evenings, urls, helper):
    before = contents(urls)
    helper("return work(part)")
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.balances SET amount = amount + 5 WHERE player_id = 'p2'")
        db.execute("DELETE FROM projections.journal")
    done = rebuild.rebuild(urls.owner, processes=2)
    assert done.differed == 2 * len(evenings) + len(before["journal"])
    assert contents(urls) == before


def test_what_is_written_meanwhile_is_there_afterwards(evenings, store, urls, two):
    """In evenings that were folded already, and in one that had not begun."""
    new = []

    def goes_on(done):
        if done == len(evenings):
            new.append(open_session(store))
            for one in (*evenings[:2], *new):
                act(store, one, DEAL)

    done = rebuild.rebuild(urls.owner, goes_on, processes=two)
    assert (done.sessions, done.differed) == (6, 0)
    assert store.read(new[0]).version == 7
    with psycopg.connect(urls.super) as db:
        table = "SELECT count(*) FROM projections.deals WHERE session_id = %s"
        assert [db.execute(table, [one]).fetchone() for one in (evenings[0], *new)] == [(2,), (1,)]


def test_helpers_that_never_begin_are_not_needed(evenings, urls, two, monkeypatch):
    before, start = contents(urls), subprocess.Popen
    nothing = [sys.executable, "-c", ""]
    monkeypatch.setattr(crew.subprocess, "Popen", lambda _, **how: start(nothing, **how))
    assert rebuild.rebuild(urls.owner, processes=two).differed == 0
    assert contents(urls) == before


@pytest.mark.parametrize("does", ["work(part); os._exit(1)", "os._exit(1)", "return None"])
def test_what_a_helper_has_died_over_is_done_again(evenings, urls, helper, does):
    """Whether or not its rows are there already."""
    before = contents(urls)
    helper(does)
    done = rebuild.rebuild(urls.owner, processes=2)
    assert (done.sessions, done.differed) == (5, 0)
    assert contents(urls) == before


def test_an_event_that_cannot_be_folded_leaves_everything_as_it_was(evenings, urls, helper):
    before = contents(urls)
    helper("return work(part)")
    with psycopg.connect(urls.super) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute(
            "UPDATE vola.events SET data = replace(data, '10', 'x') WHERE type = 'pot_taken'"
        )
    with pytest.raises(Exception, match=r"JSON is malformed|Expected `int`"):
        rebuild.rebuild(urls.owner, processes=2)
    assert contents(urls) == before


KILLED = """
import os, signal, sys
from ledger import rebuild
rebuild.WORTH_A_PROCESS = rebuild.EVENTS_AT_ONCE = 1
rebuild.rebuild(sys.argv[1], lambda _: os.kill(os.getpid(), signal.SIGKILL), processes=3)
"""


def test_a_rebuild_that_is_killed_leaves_everything_as_it_was_and_the_next_one_works(
    evenings, urls
):
    before = contents(urls)
    killed = subprocess.run([sys.executable, "-c", KILLED, urls.owner], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert contents(urls) == before
    assert left_behind(urls) == ["projections_shadow"]
    assert rebuild.rebuild(urls.owner).differed == 0
    assert contents(urls) == before
    assert left_behind(urls) == []


def test_who_has_outlived_his_rebuild_writes_nothing_into_the_next_one(evenings, urls):
    with psycopg.connect(urls.owner) as db:
        first, second = shadow.make(db), shadow.make(db)
        with pytest.raises(shadow.NotTheSame):
            shadow.fold_in(db, first, [(evenings[0], 3)], again=False)
        assert db.execute("SELECT count(*) FROM projections_shadow.journal").fetchone() == (0,)
        assert shadow.fold_in(db, second, [(evenings[0], 3)], again=False) > 0
        db.rollback()


def test_two_rebuilds_at_once_come_one_after_the_other(evenings, urls, two):
    before, done = contents(urls), []
    both = [
        Thread(target=lambda: done.append(rebuild.rebuild(urls.owner, processes=two)))
        for _ in range(2)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert [one.differed for one in done] == [0, 0]
    assert contents(urls) == before


def test_helpers_end_with_whoever_began_them(evenings, urls, two, monkeypatch):
    started, start = [], subprocess.Popen

    def noted(*command, **how):
        started.append(start(*command, **how))
        return started[-1]

    monkeypatch.setattr(crew.subprocess, "Popen", noted)
    rebuild.rebuild(urls.owner, processes=two)
    assert len(started) == two - 1
    assert all(one.returncode is not None for one in started)


def test_a_core_is_there_for_everybody():
    assert 1 <= crew.cores() <= (os.cpu_count() or 1)


def test_a_long_evening_is_shared_out_alone():
    parts = rebuild._parts([("a", 3000), ("b", 1500), ("c", 9000), ("d", 1), ("e", 1)])
    assert [[one for one, _ in part] for part in parts] == [["a", "b"], ["c"], ["d", "e"]]


def test_while_somebody_still_reads_what_the_last_one_replaced_the_next_one_is_refused(
    evenings, urls
):
    before = contents(urls)
    with psycopg.connect(urls.super) as reader:
        reader.execute("TABLE projections.pot")
        rebuild.rebuild(urls.owner, processes=1)
        with pytest.raises(DatabaseUnfit, match="reads"):
            rebuild.rebuild(urls.owner, processes=1)
    assert rebuild.rebuild(urls.owner, processes=1).differed == 0
    assert contents(urls) == before


def test_what_differed_is_counted_once_wherever_play_goes_on_meanwhile(
    evenings, store, urls, monkeypatch
):
    """In an evening that moves before what differs is looked for, and in one that moves after."""
    with psycopg.connect(urls.super) as db:  # lines that no play mends
        db.execute("UPDATE projections.journal SET amount = amount + 5 WHERE version = 2")
    differing, looked = shadow.differing, []

    def going_on(db, wanted):
        if not looked:
            act(store, evenings[0], DEAL)
        found = differing(db, wanted)
        if not looked:
            act(store, evenings[1], DEAL)
        looked.append({one for one, _ in wanted})
        return found

    monkeypatch.setattr(shadow, "differing", going_on)
    done = rebuild.rebuild(urls.owner, processes=1)
    assert looked == [set(evenings), set(evenings[:2])]
    assert done.differed == 2 * len(evenings)


def test_rows_of_an_evening_that_nobody_played_differ_and_go(evenings, urls):
    before = contents(urls)
    with psycopg.connect(urls.super) as db:
        db.execute("INSERT INTO projections.pot VALUES (gen_random_uuid(), 10)")
        db.execute("INSERT INTO projections.balances VALUES (gen_random_uuid(), 'p1', 10)")
    assert rebuild.rebuild(urls.owner).differed == 2
    assert contents(urls) == before
