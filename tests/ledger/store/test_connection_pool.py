"""The connection pool reconnects as soon as PostgreSQL answers again."""

from __future__ import annotations

import threading
import time
from contextlib import closing, suppress

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import PoolTimeout

from ledger.audit.run import audit_session, audited_head
from ledger.store import append_sql
from ledger.store import connection_pool as database
from ledger.store import database_snapshot as snapshots
from ledger.store.database_snapshot import ReplicaLags, database_snapshot
from ledger.store.event_store import EventStore
from tests.support.databases import DatabaseUrls, create_database, drop_database
from tests.support.external_servers import database_name
from tests.support.ledger.store_session import act, open_session
from tests.support.postgresql.cluster import Postgres
from tests.support.postgresql.connection_gate import ConnectionGate
from tests.support.postgresql.standby import run_replica


@pytest.fixture
def gate(urls):
    with closing(ConnectionGate(urls.app)) as gate:
        yield gate


def seconds_until_answer(pool, seconds: float) -> float:
    """Query as requests do, one after the other; return the seconds until one is answered."""
    began = time.monotonic()
    while True:
        try:
            with pool.connection(timeout=0.2) as db:
                db.execute("SELECT 1")
            return time.monotonic() - began
        except (PoolTimeout, psycopg.OperationalError):
            if time.monotonic() - began > seconds:
                return time.monotonic() - began


def test_the_pool_reconnects_soon_after_a_long_outage(gate):
    """The outage lasts as long as a failover; the pool's own pauses would double each time."""
    pool = database.open_pool(gate.url, size=4)
    with pool:
        assert seconds_until_answer(pool, 5) < 5
        gate.set_state("shut")
        assert (
            seconds_until_answer(pool, 3.5) >= 3.5
        )  # tried at 1 and 3 seconds, and the next time at 7
        gate.set_state("open")
        assert seconds_until_answer(pool, 3) < 3


def test_the_pool_does_not_wait_for_a_hanging_server(gate, monkeypatch):
    monkeypatch.setitem(database.CONNECTION_TIMEOUTS, "connect_timeout", 1)
    gate.set_state("deaf")
    pool = database.open_pool(gate.url, size=4)
    with pool:
        assert seconds_until_answer(pool, 0.5) >= 0.5
        gate.set_state("open")
        assert seconds_until_answer(pool, 10) < 10  # two minutes without a timeout


def wait_for_requests(pool, count: int) -> None:
    """Wait until `count` requests wait for a connection."""
    until = time.monotonic() + 10
    while pool.get_stats()["requests_waiting"] < count:
        assert time.monotonic() < until


def test_requests_get_connections_in_order(urls, monkeypatch):
    monkeypatch.setattr(database, "UNREACHABLE_WAIT_SECONDS", 0.2)
    served: list[str] = []

    def ask(name: str) -> None:
        with pool.connection():
            served.append(name)

    with database.open_pool(urls.app, size=1) as pool:
        threads = [threading.Thread(target=ask, args=(name,)) for name in ("Ada", "Bo")]
        with pool.connection():
            threads[0].start()
            wait_for_requests(pool, 1)
            time.sleep(0.1)  # Bo asks half a period after Ada, so that her check ends before his
            threads[1].start()
            wait_for_requests(pool, 2)
            queued, until = pool.get_stats()["requests_queued"], time.monotonic() + 0.15
            while pool.get_stats()["requests_queued"] == queued and time.monotonic() < until:
                time.sleep(0.001)
        for thread in threads:
            thread.join()
    assert served == ["Ada", "Bo"]


def test_a_waiting_request_soon_fails_without_a_server(gate):
    seconds_waited: list[float] = []

    def ask() -> None:
        began = time.monotonic()
        with suppress(PoolTimeout), pool.connection(timeout=9):
            pass
        seconds_waited.append(time.monotonic() - began)

    with database.open_pool(gate.url, size=1) as pool:
        thread = threading.Thread(target=ask)
        with pool.connection() as db:
            thread.start()
            wait_for_requests(pool, 1)
            gate.set_state("shut")
            with pytest.raises(psycopg.OperationalError):
                db.execute("SELECT")
        thread.join()
    assert seconds_waited[0] < 6


@pytest.fixture
def standby(cluster, urls, tmp_path):
    """Return a function from an address on the primary to the same on its replica."""
    with run_replica(cluster, tmp_path / "standby") as replica:
        yield replica


def test_a_replica_can_be_audited_and_not_written(standby, urls):
    """Its data can be older than what was acknowledged."""
    with database.open_pool(standby(urls.audit), size=1, allow_replica=True) as auditor:
        assert seconds_until_answer(auditor, 20) < 20
    with pytest.raises(database.UnsuitableDatabase, match="standby"):
        database.check_database(standby(urls.app))
    with database.open_pool(standby(urls.app), size=1) as pool:
        assert seconds_until_answer(pool, 0.5) >= 0.5
        with psycopg.connect(standby(urls.super), autocommit=True) as db:
            db.execute("SELECT pg_promote()")
        assert seconds_until_answer(pool, 10) < 10


def test_an_audit_on_a_replica_sees_all_writes(standby, urls, monkeypatch):
    pool = database.open_pool(urls.app, size=1)
    store = EventStore(pool)
    session_id = open_session(store)
    with (
        psycopg.connect(standby(urls.audit)) as db,
        pool.connection() as leader,
        psycopg.connect(standby(urls.super), autocommit=True) as second_reader,
    ):
        with database_snapshot(db, leader):
            assert audited_head(db, session_id)[0] == 1
            assert audit_session(db, session_id) == []
        second_reader.execute("SELECT pg_wal_replay_pause()")
        monkeypatch.setattr(snapshots, "CATCH_UP_SECONDS", 0)
        with database.open_pool(urls.app, size=1) as second_pool:
            written = open_session(EventStore(second_pool))
        with pytest.raises(ReplicaLags), database_snapshot(db, leader):
            pass
        second_reader.execute("SELECT pg_wal_replay_resume()")
        monkeypatch.undo()
        with database_snapshot(db, leader):
            assert audit_session(db, written) == []
    pool.close()


def test_settings_of_the_database_do_not_change_the_isolation_level(urls):
    with psycopg.connect(urls.super, autocommit=True) as db:
        name = sql.Identifier(db.info.dbname)
        for_all = "ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'"
        db.execute(sql.SQL(for_all).format(name))
    own = make_conninfo(urls.app, options="-c statement_timeout=1234")
    with database.open_pool(own, size=1) as pool, pool.connection() as db:
        assert db.execute("SHOW transaction_isolation").fetchone() == ("read committed",)
        assert db.execute("SHOW statement_timeout").fetchone() == ("1234ms",)


def test_one_database_is_recognised_under_two_spellings_of_its_host(urls, cluster):
    respelled = make_conninfo(urls.owner, host="localhost", hostaddr="127.0.0.1")
    assert conninfo_to_dict(respelled)["host"] != conninfo_to_dict(urls.app)["host"]
    assert database.is_same_database(respelled, urls.app)
    other = create_database(cluster, "another")
    try:
        assert not database.is_same_database(other.owner, urls.app)
    finally:
        drop_database(cluster, "another")


def test_timeouts_in_the_address_are_kept():
    parameters = conninfo_to_dict(
        database.reliable_conninfo("postgresql://ada@there/vola?connect_timeout=30")
    )
    assert (parameters["user"], parameters["connect_timeout"]) == ("ada", "30")
    assert parameters["tcp_user_timeout"] == "20000"


@pytest.mark.parametrize("setting", ["off", "local"])
def test_a_server_that_may_forget_a_commit_is_refused(urls: DatabaseUrls, setting: str) -> None:
    forgetful = make_conninfo(urls.app, options=f"-c synchronous_commit={setting}")
    with pytest.raises(database.UnsuitableDatabase, match=f"synchronous_commit = {setting}"):
        database.check_database(forgetful)


def test_a_database_that_cannot_hold_every_name_is_refused(cluster: Postgres) -> None:
    """It would come to light with the first name or text outside of that encoding."""
    narrow = DatabaseUrls(cluster, "narrow")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        name = sql.Identifier(database_name("narrow"))
        create = "CREATE DATABASE {} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"
        db.execute(sql.SQL(create).format(name))
    try:
        with pytest.raises(database.UnsuitableDatabase, match=r"server_encoding = UTF8.*LATIN1"):
            database.check_database(narrow.super)
    finally:
        drop_database(cluster, "narrow")


def test_a_connection_that_cannot_carry_every_name_is_refused(
    urls: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    with pytest.raises(database.UnsuitableDatabase, match=r"client_encoding = UTF8.*ASCII"):
        database.check_database(urls.app)


def test_a_transaction_that_was_interrupted_while_it_ended_holds_no_lock(
    urls: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker's time limit interrupts anything, the end of a pipeline as well."""

    def interrupt(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    interrupted_pool, pool = (database.open_pool(urls.app, size=1) for _ in range(2))
    session_id = open_session(EventStore(pool))
    with (
        suppress(ValueError, KeyboardInterrupt),
        database.pipelined_transaction(interrupted_pool) as db,
    ):
        assert append_sql.lock_stream(db, session_id)
        monkeypatch.setattr(psycopg.Connection, "wait", interrupt)
        raise ValueError
    act(EventStore(pool), session_id, [{"type": "open_deal"}])
    assert EventStore(interrupted_pool).load(session_id).version == 2
    interrupted_pool.close()
    pool.close()


def test_a_lost_client_does_not_lock_a_session_for_ever(
    urls: DatabaseUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_TRANSACTION_SECONDS", 1)
    lost_pool, pool = database.open_pool(urls.app, size=1), database.open_pool(urls.app, size=1)
    session_id = open_session(EventStore(pool))
    with lost_pool.connection() as vanished:
        vanished.execute("SELECT FROM vola.heads WHERE session_id = %s FOR UPDATE", (session_id,))
        act(EventStore(pool), session_id, [{"type": "open_deal"}])  # waits for the lock
        with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
            vanished.execute("SELECT")
    lost_pool.close()
    pool.close()
