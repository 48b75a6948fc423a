"""The road to PostgreSQL is found again as soon as there is one."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import PoolTimeout

from ledger import audit, database
from ledger.store import Store
from tests.conftest import Urls
from tests.ledger.evening import act, open_session
from tests.standby import following


class Gate:
    """An address that leads to a server when it is open. Shut, it hangs up at once; `deaf`, it
    takes the call and says nothing, as the address of a machine that hangs does."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.to = parts.port
        self.listening = socket.create_server(("127.0.0.1", 0))
        port = self.listening.getsockname()[1]
        self.url = url.replace(f":{parts.port}/", f":{port}/")
        self.state = "open"
        self.held: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def become(self, state: str) -> None:
        self.state = state
        if state == "shut":
            for held in self.held:
                with suppress(OSError):
                    held.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self.listening.accept()
                self.held.append(caller)
                if self.state == "open":
                    server = socket.create_connection(("127.0.0.1", self.to))
                    self.held.append(server)
                    for one, other in ((caller, server), (server, caller)):
                        threading.Thread(target=_carry, args=(one, other), daemon=True).start()
                elif self.state == "shut":
                    caller.close()

    def close(self) -> None:
        self.become("shut")
        self.listening.close()
        for held in self.held:
            held.close()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(65536):
            other.sendall(piece)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def gate(urls):
    made = Gate(urls.app)
    yield made
    made.close()


def asked(pool, seconds: float) -> float:
    """Ask as requests do, one after the other; the seconds until one is answered."""
    began = time.monotonic()
    while True:
        try:
            with pool.connection(timeout=0.2) as db:
                db.execute("SELECT 1")
            return time.monotonic() - began
        except (PoolTimeout, psycopg.OperationalError):
            if time.monotonic() - began > seconds:
                return time.monotonic() - began


def test_after_a_while_without_a_server_it_is_found_soon_after_it_is_back(gate):
    """As long as it takes to elect a leader; the pool's own pauses would double all the while."""
    pool = database.pool(gate.url, size=4)
    with pool:
        assert asked(pool, 5) < 5
        gate.become("shut")
        assert asked(pool, 3.5) >= 3.5  # tried at 1 and 3 seconds, and the next time at 7
        gate.become("open")
        assert asked(pool, 3) < 3


def test_a_server_that_takes_the_call_and_says_nothing_is_not_waited_for(gate, monkeypatch):
    monkeypatch.setitem(database.PATIENCE, "connect_timeout", 1)
    gate.become("deaf")
    pool = database.pool(gate.url, size=4)
    with pool:
        assert asked(pool, 0.5) >= 0.5
        gate.become("open")
        assert asked(pool, 10) < 10  # two minutes, if nothing ends the wait


@pytest.fixture
def standby(cluster, urls, tmp_path):
    """A server that follows ours: what gives the same address on it."""
    with following(cluster, tmp_path / "standby") as there:
        yield there


def test_a_server_that_follows_another_is_audited_and_not_played_on(standby, urls):
    """What it shows may be older than what was acknowledged."""
    with database.pool(standby(urls.audit), size=1, follower=True) as auditor:
        assert asked(auditor, 20) < 20
    with pytest.raises(database.DatabaseUnfit, match="standby"):
        database.check(standby(urls.app))
    with database.pool(standby(urls.app), size=1) as pool:
        assert asked(pool, 0.5) >= 0.5
        with psycopg.connect(standby(urls.super), autocommit=True) as db:
            db.execute("SELECT pg_promote()")
        assert asked(pool, 10) < 10


def test_an_audit_on_a_follower_sees_what_was_written_and_keeps_rebuilds_away(
    standby, urls, monkeypatch
):
    pool = database.pool(urls.app, size=1)
    store = Store(pool)
    session_id = open_session(store)
    with (
        psycopg.connect(standby(urls.audit)) as db,
        pool.connection() as leader,
        psycopg.connect(standby(urls.super), autocommit=True) as other,
    ):
        with audit.snapshot(db, leader):
            assert audit.come_to(db, session_id)[0] == 1
            assert audit.audit(db, session_id) == []
            with psycopg.connect(urls.owner) as rebuilder:
                free = rebuilder.execute("SELECT pg_try_advisory_lock(7316053)").fetchone()
                assert free == (False,)
        other.execute("SELECT pg_wal_replay_pause()")
        monkeypatch.setattr(audit, "CATCH_UP_SECONDS", 0)
        with database.pool(urls.app, size=1) as another:
            written = open_session(Store(another))
        with pytest.raises(audit.FollowerLags), audit.snapshot(db, leader):
            pass
        other.execute("SELECT pg_wal_replay_resume()")
        monkeypatch.undo()
        with audit.snapshot(db, leader):
            assert audit.audit(db, written) == []
    pool.close()


def test_who_does_not_wait_for_a_rebuild_is_told_of_it(urls):
    with psycopg.connect(urls.owner) as rebuilder, psycopg.connect(urls.audit) as db:
        rebuilder.execute("SELECT pg_advisory_lock(7316053)")
        with pytest.raises(audit.RebuildGoesOn), audit.snapshot(db, waits=False):
            pass
        assert db.autocommit is False


def test_what_the_house_has_set_otherwise_does_not_change_what_a_lock_shows(urls):
    with psycopg.connect(urls.super, autocommit=True) as db:
        name = sql.Identifier(db.info.dbname)
        for_all = "ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'"
        db.execute(sql.SQL(for_all).format(name))
    own = make_conninfo(urls.app, options="-c statement_timeout=1234")
    with database.pool(own, size=1) as pool, pool.connection() as db:
        assert db.execute("SHOW transaction_isolation").fetchone() == ("read committed",)
        assert db.execute("SHOW statement_timeout").fetchone() == ("1234ms",)


def test_what_an_address_says_of_its_own_patience_stands():
    said = conninfo_to_dict(database.road("postgresql://ada@there/vola?connect_timeout=30"))
    assert (said["user"], said["connect_timeout"]) == ("ada", "30")
    assert said["tcp_user_timeout"] == "20000"


@pytest.mark.parametrize("setting", ["off", "local"])
def test_a_server_that_may_forget_a_commit_is_refused(urls: Urls, setting: str) -> None:
    forgetful = make_conninfo(urls.app, options=f"-c synchronous_commit={setting}")
    with pytest.raises(database.DatabaseUnfit, match=f"synchronous_commit = {setting}"):
        database.check(forgetful)


def test_who_has_vanished_in_mid_transaction_does_not_hold_an_evening_for_ever(
    urls: Urls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOST_SECONDS", 1)
    gone, other = database.pool(urls.app, size=1), database.pool(urls.app, size=1)
    session_id = open_session(Store(other))
    with gone.connection() as vanished:
        vanished.execute("SELECT FROM vola.heads WHERE session_id = %s FOR UPDATE", (session_id,))
        act(Store(other), session_id, [{"type": "open_deal"}])  # waits until it is let go
        with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
            vanished.execute("SELECT")
    gone.close()
    other.close()
