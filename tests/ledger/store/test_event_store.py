"""The event store: gapless, hashed, append-only, and one effect per idempotency key."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from engine.errors import DealNotNext, RuleViolation
from ledger.audit.run import audit_session
from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.events.recorded_event import UnknownSession
from ledger.store import connection_pool as database
from ledger.store import event_store
from ledger.store.append_request import Decision, KeyReused, VersionConflict, VersionRequired
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from ledger.store.read_stream import read_stream
from tests.support.ledger.store_session import (
    act,
    append_actions,
    make_request,
    open_session,
    open_with_payments_due,
    play_e1,
)
from tests.support.worked_evenings import E1, lines

OPEN = [{"type": "open_deal"}]


def test_a_stream_has_no_holes_and_each_hash_includes_the_one_before(store):
    session_id = play_e1(store)
    before, expected = chain.GENESIS_HASH, 1
    with store.pool.connection() as db:
        for recorded in read_stream(db, session_id, 0, 10_000):
            assert recorded.version == expected
            assert recorded.schema == codec.SCHEMA_VERSION
            before = chain.hash_event(session_id, recorded, before)
            assert recorded.hash == before
            expected += 1
        head = db.execute("SELECT version, hash FROM vola.heads").fetchone()
    assert head == (expected - 1, before)


def test_postgresql_can_check_a_hash_by_itself(store):
    play_e1(store, deals=1)
    with store.pool.connection() as db:
        wrong = db.execute(SEALED).fetchall()
    assert wrong == []


SEALED = """
WITH linked AS (
  SELECT *, lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER (ORDER BY version) AS prev
    FROM vola.events),
parts AS (
  SELECT version, hash, ARRAY[
      convert_to('vola event 1', 'UTF8'), uuid_send(session_id), int8send(version::bigint),
      convert_to(type, 'UTF8'), int4send(schema::integer), int8send(at), convert_to("by", 'UTF8'),
      sha256(convert_to(data, 'UTF8')), prev] AS fields
    FROM linked)
SELECT version FROM parts
 WHERE hash <> sha256((SELECT string_agg(int4send(length(f)) || f, ''::bytea ORDER BY n)
                         FROM unnest(fields) WITH ORDINALITY AS x(f, n)))
"""

ATTACKS = [
    "UPDATE vola.events SET data = '{}'",
    "UPDATE vola.events SET hash = hash WHERE version = 2",
    "UPDATE vola.events SET version = version + 1000",
    "DELETE FROM vola.events",
    "DELETE FROM vola.events WHERE version = 3",
    "TRUNCATE vola.events",
    "TRUNCATE vola.events CASCADE",
    "DROP TABLE vola.events",
    "ALTER TABLE vola.events DISABLE TRIGGER ALL",
    "ALTER TABLE vola.events ADD COLUMN more text",
    "DROP TRIGGER events_are_append_only ON vola.events",
    "SET session_replication_role = replica",
    "UPDATE vola.secret SET secret = ''",
    "DELETE FROM vola.heads",
    "DELETE FROM vola.creation_keys",
    "DELETE FROM vola.stored_replies",
    "DELETE FROM vola.players",
    "CREATE TABLE public.mine (id integer)",
    "CREATE FUNCTION vola.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "UPDATE vola.heads SET pot = -1",
    "UPDATE projections.pot SET amount = 5",
    "DELETE FROM projections.pot",
    "DELETE FROM projections.journal",
    'INSERT INTO vola.events SELECT session_id, version, type, schema, at, "by", data, hash'
    "  FROM vola.events WHERE version = 1",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_app_can_only_append(served, attack):
    urls, before = served
    with psycopg.connect(urls.app, autocommit=True) as db, pytest.raises(psycopg.Error):
        db.execute(attack)
    with psycopg.connect(urls.audit) as db:
        assert db.execute("SELECT count(*), max(version) FROM vola.events").fetchone() == before


def test_the_app_cannot_grant_itself_rights(served):
    urls, _ = served
    with psycopg.connect(urls.app, autocommit=True) as db:
        db.execute("GRANT UPDATE ON vola.events TO vola_app")  # PostgreSQL only warns
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("UPDATE vola.events SET data = '{}'")


@pytest.mark.parametrize("attack", ATTACKS[:7])
def test_the_owner_cannot_change_events_by_accident(served, attack):
    urls, _ = served
    with psycopg.connect(urls.owner) as db, pytest.raises(psycopg.Error, match="only ever added"):
        db.execute(attack)


def test_the_auditor_reads_all_but_secrets_and_writes_nothing(served):
    urls, _ = served
    with psycopg.connect(urls.audit, autocommit=True) as db:
        db.execute("SELECT * FROM vola.events").fetchall()
        db.execute("SELECT * FROM projections.journal").fetchall()
        for forbidden in ("SELECT * FROM vola.secret", "DELETE FROM projections.journal"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(forbidden)


@pytest.fixture(scope="module")
def served(module_urls):
    """A database with E1, for tests whose attacks leave it unchanged."""
    pool = database.open_pool(module_urls.app)
    play_e1(EventStore(pool))
    with pool.connection() as db:
        before = db.execute("SELECT count(*), max(version) FROM vola.events").fetchone()
    yield module_urls, before
    pool.close()


@pytest.mark.parametrize(
    "wrong",
    [
        "balances[1] = balances[1] + 1",
        "balances[1] = NULL",
        "conflict_version = 0",
        "conflict_version = version + 1",
        "pot = pot + 1",
        "bets[1].amount = bets[1].amount + 1",
        "bets = bets || ROW(9, 1, '{p1}', 0, false)::vola.bet",
        "scores = ARRAY[ROW('p1', 1, 0, false)::vola.score]",
    ],
)
def test_the_database_refuses_a_head_that_does_not_add_up(store, wrong):
    session_id = play_e1(store, deals=2)
    with store.pool.connection() as db, pytest.raises(psycopg.errors.CheckViolation):
        db.execute(f"UPDATE vola.heads SET {wrong} WHERE session_id = %s", (session_id,))


def test_a_write_changes_no_row_of_another_session(store):
    """Both have payments and journal lines of the same versions."""
    first, second = open_with_payments_due(store), open_with_payments_due(store)
    store.settle(first)
    act(store, first, [{"type": "undo"}])
    with store.pool.connection() as db, database_snapshot(db):
        assert [audit_session(db, session_id) for session_id in (first, second)] == [[], []]


def test_one_key_has_one_effect_with_many_simultaneous_requests(store):
    session_id = open_session(store)
    with ThreadPoolExecutor(16) as pool:
        results = list(
            pool.map(lambda _: append_actions(store, session_id, OPEN, key="one"), range(64))
        )
    assert {(result.session.hash, result.recorded) for result in results} == {
        (results[0].session.hash, results[0].recorded)
    }
    assert sum(not result.reply.replayed for result in results) == 1
    assert store.load(session_id).version == 2


def test_simultaneous_writers_of_one_session_lose_nothing(store):
    session_id = open_session(store)

    def record(number):
        while True:
            try:
                return act(store, session_id, [{"type": "open_deal", "number": number},
                                               {"type": "all_pass"}])  # fmt: skip
            except DealNotNext:
                pass  # try again

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(record, range(1, 25)))
    session = store.load(session_id)
    assert (session.version, session.pot) == (1 + 24 * 3, 240)


def test_processes_with_separate_caches_see_each_others_writes(store, urls):
    from ledger.store import connection_pool as database

    second_store = EventStore(database.open_pool(urls.app))
    session_id = open_session(store)
    for number in range(1, 9):
        writer = (store, second_store)[number % 2]
        act(writer, session_id, [{"type": "open_deal", "number": number}, {"type": "all_pass"}])
    assert store.load(session_id).pot == second_store.load(session_id).pot == 80
    second_store.pool.close()


@pytest.mark.parametrize(
    ("write", "error"),
    [
        ({"expected": "missing"}, VersionRequired),
        ({"expected": 1}, VersionConflict),
        ({"expected": 3}, VersionConflict),
        ({"key": "used"}, None),
    ],
)
def test_a_refused_write_changes_nothing_and_leaves_its_key_free(store, write, error):
    session_id = open_session(store)
    act(store, session_id, OPEN)
    if error:
        with pytest.raises(error):
            act(store, session_id, [{"type": "all_pass"}], key="free", **write)
    else:
        with pytest.raises(RuleViolation):
            act(store, session_id, OPEN, key="free")
    assert store.load(session_id).version == 2
    assert act(store, session_id, [{"type": "all_pass"}], key="free").version == 4


def test_a_key_reused_for_another_request_is_refused(store):
    session_id = open_session(store)
    act(store, session_id, OPEN, key="used")
    second_request = make_request("used")
    with pytest.raises(KeyReused):
        store.append(
            session_id,
            type(second_request)(
                key="used", digest=b"another", by="host.0", expected_version="any"
            ),
            lambda session: Decision(events=()),
        )


def test_an_unknown_session_is_refused(store):
    from uuid import uuid4

    for read in (lambda i: store.load(i), lambda i: act(store, i, OPEN)):
        with pytest.raises(UnknownSession):
            read(uuid4())


def test_a_payment_is_settled_once_by_simultaneous_attempts(store):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    with ThreadPoolExecutor(12) as pool:
        results = list(pool.map(lambda _: store.settle(session_id), range(36)))
    assert sum(results) == len(store.load(session_id).payments) == 3
    with store.pool.connection() as db:
        settled = db.execute("SELECT count(*) FROM vola.events WHERE type = 'payment_settled'")
        assert settled.fetchone() == (3,)


def test_many_payments_are_settled_some_at_a_time(store, urls, monkeypatch):
    """A transaction that settles tens of thousands of them would last too long."""
    monkeypatch.setattr(event_store, "MAX_SETTLED_AT_ONCE", 2)
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    assert [store.settle(session_id) for _ in range(3)] == [2, 1, 0]
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []


def test_time_never_runs_backwards_within_a_session(store):
    session_id = open_session(store)
    with store.pool.connection() as db:
        db.execute("UPDATE vola.heads SET at = at + 3600 * 1000000::bigint")  # a clock set back
    future_time = store.load(session_id).at
    second_store = EventStore(store.pool)
    act(second_store, session_id, OPEN)
    assert second_store.load(session_id).at >= future_time


@pytest.mark.parametrize("tricks", [0, 1, 3])
def test_a_database_that_lost_commits_is_noticed_by_a_cache(store, urls, tricks):
    """The last commit is lost, as after a failover, and another process appends other events: up to
    the remembered version, or further."""
    session_id = open_session(store)
    act(store, session_id, OPEN)
    act(store, session_id, [{"type": "declare", "players": ["p2"]}])
    second_store = EventStore(store.pool)
    with psycopg.connect(urls.super) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute("DELETE FROM vola.events WHERE version = 3")
        db.execute("DELETE FROM vola.stored_replies WHERE version = 3")
        db.execute(
            "UPDATE vola.heads h SET version = 2, conflict_version = 2, at = e.at, hash = e.hash"
            "  FROM vola.events e WHERE e.version = 2"
        )
    act(second_store, session_id, [{"type": "declare", "players": ["p4"]}])
    for _ in range(tricks):
        act(second_store, session_id, [{"type": "trick", "winner": "p4"}])
    end = [{"type": "finish"}] if tricks else [{"type": "result", "winner": "p4"}]
    act(store, session_id, [{"type": "trick", "winner": "p4"}] * ((3 - tricks) % 3) + end)
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, session_id) == []
    assert store.load(session_id).balances["p4"] == 10
