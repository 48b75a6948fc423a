"""The road to PostgreSQL is found again as soon as there is one."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import PoolTimeout

from ledger import database


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
        except (PoolTimeout, database.psycopg.OperationalError):
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


def test_what_an_address_says_of_its_own_patience_stands():
    said = conninfo_to_dict(database.road("postgresql://ada@there/vola?connect_timeout=30"))
    assert (said["user"], said["connect_timeout"]) == ("ada", "30")
    assert said["tcp_user_timeout"] == "20000"
