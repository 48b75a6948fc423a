"""Connections to PostgreSQL and Redis that are made as in the product, and can be broken.

They are cut as the kernel cuts them when a process is killed: without a closing message.
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
from tests.verification.chaos.boundaries.fault_injection import FaultInjector, ProcessDied

R = TypeVar("R")

EFFECT_NAMES = {
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
"""The effect of each psycopg generator. All use of a server passes through `Connection.wait`."""
SILENT = frozenset({"_enter_gen", "_set_autocommit_gen"})

INJECTED_FAULT = "injected fault"
IDLE = psycopg.pq.TransactionStatus.IDLE


class BreakableConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection to PostgreSQL of a process in which faults are injected."""

    injector: FaultInjector  # of the class that `connection_class` makes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.injector.connections.add(self)

    def wait(
        self, gen: Generator[Any, Any, R], interval: float = 0.1, timeout: float | None = None
    ) -> R:
        def effect() -> R:
            return psycopg.Connection.wait(self, gen, interval, timeout)

        kind: str = gen.__name__  # type: ignore[attr-defined]  # a generator has one
        if kind in SILENT or self._nothing_to_do(kind):
            if self.injector.dead:
                raise ProcessDied
            return effect()
        assert kind in EFFECT_NAMES, f"psycopg does something new: {kind}"
        error = psycopg.OperationalError(INJECTED_FAULT)
        commits = kind == "_execute_gen" and query_of(gen) == database.COMMIT
        name = "commit" if commits else EFFECT_NAMES[kind]
        return self.injector.run_effect(name, effect, self.cut, error)

    def _nothing_to_do(self, kind: str) -> bool:
        """Return whether psycopg sends nothing, since it ends a transaction never begun."""
        ends = kind in ("_commit_gen", "_rollback_gen")
        return ends and self.pgconn.transaction_status == IDLE and self._pipeline is None

    def cut(self) -> None:
        """Shut the socket down without a closing message to PostgreSQL."""
        with (
            suppress(psycopg.Error, OSError),
            socket.socket(fileno=socket.dup(self.pgconn.socket)) as connection,
        ):
            connection.shutdown(socket.SHUT_RDWR)
        self._closed = True
        self.pgconn.finish()


def query_of(gen: Generator[Any, Any, Any]) -> object:
    """Return the query that a cursor is about to execute."""
    return gen.gi_frame.f_locals.get("query")


def connection_class(injector: FaultInjector) -> type[BreakableConnection]:
    return type("BreakableConnection", (BreakableConnection,), {"injector": injector})


def breakable_pool(url: str, injector: FaultInjector, *, size: int = 8) -> Pool:
    """Return a pool as the product makes it, of connections that the injector can break. The pool
    checks each connection before use, so the effects do not depend on when it was last used."""
    with patch.object(database, "Connection", connection_class(injector)):
        opened = database.open_pool(url, size=size, name="with faults")
    opened.trusted_seconds = 0
    return opened


class BreakableRedisConnection(redis.Connection):
    """A connection to Redis that can be broken; a command with its reply is one effect."""

    injector: FaultInjector
    generation: int  # of the process that made it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self._sent_at = 0
        self._greeting = False
        self.injector.connections.add(self)

    @property
    def is_dead(self) -> bool:
        return self.injector.dead or self.generation != self.injector.generation

    def on_connect_check_health(self, *args: Any, **kwargs: Any) -> None:
        self._greeting = True  # a handshake is no effect
        try:
            super().on_connect_check_health(*args, **kwargs)
        finally:
            self._greeting = False

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        def send() -> None:
            super(BreakableRedisConnection, self).send_packed_command(  # type: ignore[no-untyped-call]
                command, check_health=False
            )

        injector = self.injector
        if self.is_dead:
            self._fail(command)
        if not self._sock:
            self.connect()  # type: ignore[no-untyped-call]
        if self._greeting or not injector.counts_this_thread():
            return send()
        if len(injector.effects) + 1 != injector.at or injector.mode not in MODES_AFTER_THE_EFFECT:
            return injector.run_effect(
                "redis", send, self.cut, redis.ConnectionError(INJECTED_FAULT)
            )
        injector.effects.append("redis")
        self._sent_at = injector.at  # and the fault comes after the reply
        return send()

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_dead:
            self._fail(None)
        answer = super().read_response(*args, **kwargs)
        if not self._sent_at or self._greeting:
            return answer
        self._sent_at, self.injector.was_injected = 0, True
        if self.injector.mode == "dies after":
            self.injector.die(self.cut)
        self.disconnect()  # type: ignore[no-untyped-call]
        raise redis.ConnectionError(INJECTED_FAULT)

    def _fail(self, command: Any) -> NoReturn:
        self.cut()
        if b"UNWATCH" in b"".join(command or ()) or not self.injector.counts_this_thread():
            raise redis.ConnectionError("the process has died")  # nobody catches ProcessDied there
        raise ProcessDied

    def cut(self) -> None:
        """Shut the socket down, also from another thread; a pending read then fails."""
        with suppress(OSError):
            if self._sock:
                self._sock.shutdown(socket.SHUT_RDWR)


MODES_AFTER_THE_EFFECT = ("dies after", "loses the answer")


def breakable_redis(url: str, injector: FaultInjector) -> redis.Redis:
    """Return a client as the product makes it, with connections that the injector can break."""
    redis_class = type(
        "BreakableRedisConnection",
        (BreakableRedisConnection,),
        {"injector": injector, "generation": injector.generation},
    )
    return redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), connection_class=redis_class)
