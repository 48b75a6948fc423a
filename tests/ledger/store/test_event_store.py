"""The book in PostgreSQL: gapless, sealed, only added to, and one effect per key."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from engine.errors import DealNotNext, RuleViolation
from ledger import chain, codec
from ledger.audit import audit, snapshot
from ledger.history import history
from ledger.store import Store
from ledger.writing import KeyReused, Stale, UnknownSession, VersionRequired, Work
from tests.evenings import E1, lines
from tests.ledger.evening import act, open_session, play_e1, request

OPEN = [{"type": "open_deal"}]


def test_a_stream_has_no_holes_and_every_event_is_sealed_to_the_one_before(store):
    session_id = play_e1(store)
    before, expected = chain.FIRST, 1
    with store.pool.connection() as db:
        for recorded in history(db, session_id, 0, 10_000):
            assert recorded.version == expected
            before = chain.seal(
                session_id=session_id,
                version=recorded.version,
                kind=recorded.type,
                schema=codec.SCHEMA,
                at=recorded.at,
                by=recorded.by,
                data=recorded.data,
                before=before,
            )
            assert recorded.hash == before
            expected += 1
        head = db.execute("SELECT version, hash FROM vola.heads").fetchone()
    assert head == (expected - 1, before)


def test_postgres_can_check_a_seal_by_itself(store):
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
    "DROP TRIGGER events_are_for_ever ON vola.events",
    "SET session_replication_role = replica",
    "UPDATE vola.secret SET secret = ''",
    "DELETE FROM vola.heads",
    "DELETE FROM vola.creations",
    "DELETE FROM vola.replies",
    "DELETE FROM vola.players",
    "CREATE TABLE public.mine (id integer)",
    "CREATE FUNCTION vola.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "UPDATE projections.pot SET amount = -1",
    'INSERT INTO vola.events SELECT session_id, version, type, schema, at, "by", data, hash'
    "  FROM vola.events WHERE version = 1",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_app_can_only_add_to_history(served, attack):
    urls, before = served
    with psycopg.connect(urls.app, autocommit=True) as db, pytest.raises(psycopg.Error):
        db.execute(attack)
    with psycopg.connect(urls.audit) as db:
        assert db.execute("SELECT count(*), max(version) FROM vola.events").fetchone() == before


def test_the_app_cannot_give_itself_the_right(served):
    urls, _ = served
    with psycopg.connect(urls.app, autocommit=True) as db:
        db.execute("GRANT UPDATE ON vola.events TO vola_app")  # PostgreSQL only warns
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("UPDATE vola.events SET data = '{}'")


@pytest.mark.parametrize("attack", ATTACKS[:7])
def test_not_even_the_owner_changes_it_by_accident(served, attack):
    urls, _ = served
    with psycopg.connect(urls.owner) as db, pytest.raises(psycopg.Error, match="only ever added"):
        db.execute(attack)


def test_the_auditor_reads_everything_but_the_secret_and_writes_nothing(served):
    urls, _ = served
    with psycopg.connect(urls.audit, autocommit=True) as db:
        db.execute("SELECT * FROM vola.events").fetchall()
        db.execute("SELECT * FROM projections.journal").fetchall()
        for forbidden in ("SELECT * FROM vola.secret", "DELETE FROM projections.pot"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(forbidden)


@pytest.fixture(scope="module")
def served(cluster):
    """A database with E1 in it, for those who only try to break it."""
    from ledger import database
    from tests.conftest import copied

    urls = copied(cluster, "vola_attacked")
    pool = database.pool(urls.app)
    play_e1(Store(pool))
    with pool.connection() as db:
        before = db.execute("SELECT count(*), max(version) FROM vola.events").fetchone()
    yield urls, before
    pool.close()


@pytest.mark.parametrize(
    "wrong",
    [
        "UPDATE projections.balances SET amount = amount + 1 WHERE player_id = 'p1'",
        "UPDATE projections.pot SET amount = amount + 1",
        "UPDATE projections.bets SET amount = amount + 1",
        "INSERT INTO projections.scores SELECT session_id, 'p1', 1, 0, false FROM vola.heads",
    ],
)
def test_what_does_not_add_up_is_refused_by_the_database_itself(store, wrong):
    session_id = play_e1(store, deals=2)
    with store.pool.connection() as db:
        db.execute(wrong)
        db.execute("UPDATE vola.heads SET at = at + 1 WHERE session_id = %s", (session_id,))
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
            db.commit()


def test_one_key_has_one_effect_however_many_ask_at_once(store):
    session_id = open_session(store)
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda _: act(store, session_id, OPEN, key="one"), range(64)))
    assert {reply.body for reply in replies} == {b"2"}
    assert sum(not reply.replayed for reply in replies) == 1
    assert store.read(session_id).version == 2


def test_writers_on_one_evening_queue_and_lose_nothing(store):
    session_id = open_session(store)

    def record(number):
        while True:
            try:
                return act(store, session_id, [{"type": "open_deal", "number": number},
                                               {"type": "all_pass"}])  # fmt: skip
            except DealNotNext:
                pass  # its turn comes

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(record, range(1, 25)))
    session = store.read(session_id)
    assert (session.version, session.pot) == (1 + 24 * 3, 240)


def test_two_processes_with_their_own_caches_see_each_others_writes(store, urls):
    from ledger import database

    other = Store(database.pool(urls.app))
    session_id = open_session(store)
    for number in range(1, 9):
        writer = (store, other)[number % 2]
        act(writer, session_id, [{"type": "open_deal", "number": number}, {"type": "all_pass"}])
    assert store.read(session_id).pot == other.read(session_id).pot == 80
    other.pool.close()


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"expected": "missing"}, VersionRequired),
        ({"expected": 1}, Stale),
        ({"expected": 3}, Stale),
        ({"key": "used"}, None),
    ],
)
def test_a_refused_write_changes_nothing_and_leaves_its_key_free(store, asked, error):
    session_id = open_session(store)
    act(store, session_id, OPEN)
    if error:
        with pytest.raises(error):
            act(store, session_id, [{"type": "all_pass"}], key="free", **asked)
    else:
        with pytest.raises(RuleViolation):
            act(store, session_id, OPEN, key="free")
    assert store.read(session_id).version == 2
    assert act(store, session_id, [{"type": "all_pass"}], key="free").version == 4


def test_a_key_used_for_something_else_is_refused(store):
    session_id = open_session(store)
    act(store, session_id, OPEN, key="used")
    other = request("used")
    with pytest.raises(KeyReused):
        store.write(
            session_id,
            type(other)(key="used", digest=b"another", by="host.0", expected="any"),
            lambda session: Work(events=()),
            lambda *_: b"",
        )


def test_an_evening_that_is_not_there_is_said(store):
    from uuid import uuid4

    for read in (lambda i: store.read(i), lambda i: act(store, i, OPEN)):
        with pytest.raises(UnknownSession):
            read(uuid4())


def test_a_payment_is_settled_once_however_often_it_is_tried_at_once(store):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    payments = list(store.read(session_id).payments)
    with ThreadPoolExecutor(12) as pool:
        done = list(pool.map(lambda p: store.settle(session_id, p), payments * 12))
    assert sum(done) == len(payments) == 3
    with store.pool.connection() as db:
        settled = db.execute("SELECT count(*) FROM vola.events WHERE type = 'payment_settled'")
        assert settled.fetchone() == (3,)
    assert not store.settle(session_id, "99-p1-p2")


def test_time_never_runs_backwards_within_an_evening(store):
    session_id = open_session(store)
    with store.pool.connection() as db:
        db.execute("UPDATE vola.heads SET at = at + 3600 * 1000000::bigint")  # a clock set back
    ahead = store.read(session_id).at
    other = Store(store.pool)
    act(other, session_id, OPEN)
    assert other.read(session_id).at >= ahead


@pytest.mark.parametrize("tricks", [0, 1, 3])
def test_a_database_set_back_is_noticed_by_who_remembers_it_otherwise(store, urls, tricks):
    """The last commit is lost, as after a failover, and another process goes another way: as far
    as was remembered, or farther."""
    session_id = open_session(store)
    act(store, session_id, OPEN)
    act(store, session_id, [{"type": "declare", "players": ["p2"]}])
    other = Store(store.pool)
    with psycopg.connect(urls.super) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute("DELETE FROM vola.events WHERE version = 3")
        db.execute("DELETE FROM vola.replies WHERE version = 3")
        db.execute(
            "UPDATE vola.heads h SET version = 2, acted = 2, at = e.at, hash = e.hash"
            "  FROM vola.events e WHERE e.version = 2"
        )
    act(other, session_id, [{"type": "declare", "players": ["p4"]}])
    for _ in range(tricks):
        act(other, session_id, [{"type": "trick", "winner": "p4"}])
    end = [{"type": "finish"}] if tricks else [{"type": "result", "winner": "p4"}]
    act(store, session_id, [{"type": "trick", "winner": "p4"}] * ((3 - tricks) % 3) + end)
    with psycopg.connect(urls.audit) as db, snapshot(db):
        assert audit(db, session_id) == []
    assert store.read(session_id).balances["p4"] == 10
