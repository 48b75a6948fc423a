"""The lines of a process with a fate: to PostgreSQL and to Redis, as the product lays them.

A line that is cut is cut as the kernel does it when a process is killed: without a goodbye.
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import suppress
from typing import Any, NoReturn, TypeVar
from unittest.mock import patch

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ledger.store import connection_pool as database
from ledger.store.connection_pool import Pool
from tests.verification.chaos.fault_injection import Died, Fate

R = TypeVar("R")

ON_THE_WIRE = {
    "_execute_gen": "statement",
    "_executemany_gen_pipeline": "statements",
    "_start_copy_gen": "copy",
    "_commit_gen": "commit",
    "_rollback_gen": "rollback",
    "_sync_gen": "sync",
    "_exit_gen": "sync",
    "_declare_gen": "statement",
    "_fetch_gen": "fetch",
    "_close_gen": "close",
}
"""What psycopg calls what it does with a server; all of it passes through `Connection.wait`."""
SILENT = frozenset({"_enter_gen", "_set_autocommit_gen"})

IDLE = psycopg.pq.TransactionStatus.IDLE


class Struck(psycopg.Connection[tuple[Any, ...]]):
    """A connection of a process with a fate."""

    fate: Fate  # of the class that `pool` makes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fate.connections.add(self)

    def wait(
        self, gen: Generator[Any, Any, R], interval: float = 0.1, timeout: float | None = None
    ) -> R:
        def effect() -> R:
            return psycopg.Connection.wait(self, gen, interval, timeout)

        kind: str = gen.__name__  # type: ignore[attr-defined]  # a generator has one
        if kind in SILENT or self._nothing_to_do(kind):
            if self.fate.dead:
                raise Died
            return effect()
        assert kind in ON_THE_WIRE, f"psycopg does something new: {kind}"
        error = psycopg.OperationalError("struck")
        commits = kind == "_execute_gen" and said(gen) == database.COMMIT
        name = "commit" if commits else ON_THE_WIRE[kind]
        return self.fate.through(name, effect, self.cut, error)

    def _nothing_to_do(self, kind: str) -> bool:
        """A transaction that was never begun is ended without a word."""
        ends = kind in ("_commit_gen", "_rollback_gen")
        return ends and self.pgconn.transaction_status == IDLE and self._pipeline is None

    def cut(self) -> None:
        """The socket is gone, and PostgreSQL finds out by itself."""
        with (
            suppress(psycopg.Error, OSError),
            socket.socket(fileno=socket.dup(self.pgconn.socket)) as line,
        ):
            line.shutdown(socket.SHUT_RDWR)
        self._closed = True
        self.pgconn.finish()


def said(gen: Generator[Any, Any, Any]) -> object:
    """The query of a cursor that is about to execute one."""
    return gen.gi_frame.f_locals.get("query")


def connection_class(fate: Fate) -> type[Struck]:
    return type("Struck", (Struck,), {"fate": fate})


def pool(url: str, fate: Fate, *, size: int = 8) -> Pool:
    """A pool as the product makes it, of connections with this fate; it trusts none of them, or
    what is done would depend on how long ago each was used."""
    with patch.object(database, "Connection", connection_class(fate)):
        made = database.open_pool(url, size=size, name="struck")
    made.trusted_seconds = 0
    return made


class Rung(redis.Connection):
    """A connection to Redis with a fate: sent and answered is one effect."""

    fate: Fate
    life: int  # of the process that made it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self._sent_at = 0
        self._greeting = False
        self.fate.connections.add(self)

    @property
    def gone(self) -> bool:
        return self.fate.dead or self.life != self.fate.life

    def on_connect_check_health(self, *args: Any, **kwargs: Any) -> None:
        self._greeting = True  # who says hello has not done anything yet
        try:
            super().on_connect_check_health(*args, **kwargs)
        finally:
            self._greeting = False

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        def send() -> None:
            super(Rung, self).send_packed_command(  # type: ignore[no-untyped-call]
                command, check_health=False
            )

        fate = self.fate
        if self.gone:
            self._end(command)
        if not self._sock:
            self.connect()  # type: ignore[no-untyped-call]
        if self._greeting or not fate.mine():
            return send()
        if len(fate.seen) + 1 != fate.at or fate.mode not in AFTERWARDS:
            return fate.through("redis", send, self.cut, redis.ConnectionError("struck"))
        fate.seen.append("redis")
        self._sent_at = fate.at  # and the end comes when it has been answered
        return send()

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        if self.gone:
            self._end(None)
        answer = super().read_response(*args, **kwargs)
        if not self._sent_at or self._greeting:
            return answer
        self._sent_at, self.fate.struck = 0, True
        if self.fate.mode == "dies after":
            self.fate.die(self.cut)
        self.disconnect()  # type: ignore[no-untyped-call]
        raise redis.ConnectionError("struck")

    def _end(self, command: Any) -> NoReturn:
        self.cut()
        if b"UNWATCH" in b"".join(command or ()) or not self.fate.mine():
            raise redis.ConnectionError("gone")  # a destructor or a thread has nobody to tell
        raise Died

    def cut(self) -> None:
        """Also from another thread: whoever reads finds out."""
        with suppress(OSError):
            if self._sock:
                self._sock.shutdown(socket.SHUT_RDWR)


AFTERWARDS = ("dies after", "loses the answer")


def bell(url: str, fate: Fate) -> redis.Redis:
    """A client as the product makes it, with this fate."""
    made = type("Rung", (Rung,), {"fate": fate, "life": fate.life})
    return redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), connection_class=made)
