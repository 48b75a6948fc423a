"""The faults: each does to the server what accidents do.

A fault returns what it hit, or None if there was nothing to hit. It lets every process that it has
stopped go on; the server starts again every process that it has killed.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import LiteralString

import psycopg
import redis

from tests.support.process_tree import send_signal
from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.proxy import Disturbance, Proxy
from workers import queue


@dataclass
class FaultContext:
    """What a fault may touch."""

    server: SupervisedServer
    proxy: Proxy
    die: Random


Fault = Callable[[FaultContext], str | None]
FAULTS: dict[str, Fault] = {}
WEIGHTS: dict[str, int] = {}
"""How often a fault is chosen; those that stop the whole server for a second are rare."""

ListPids = Callable[[SupervisedServer], list[int]]
SIGNALS: dict[str, tuple[int, ListPids, signal.Signals]] = {
    "kill_api_process": (6, SupervisedServer.list_api_processes, signal.SIGKILL),
    # it holds the port, so all other API processes end with it
    "kill_api_master": (1, SupervisedServer.list_masters, signal.SIGKILL),
    # requests in flight are finished, or the phones repeat them
    "restart_api": (1, SupervisedServer.list_masters, signal.SIGTERM),
    # RQ's SimpleWorker has no work horse of its own
    "kill_worker": (4, SupervisedServer.list_workers, signal.SIGKILL),
    "kill_relay": (4, SupervisedServer.list_relays, signal.SIGKILL),
    # PostgreSQL ends all other backends and recovers
    "kill_backend": (1, SupervisedServer.list_backends, signal.SIGKILL),
    # PostgreSQL is down until the server starts it again
    "kill_postmaster": (1, SupervisedServer.list_postmasters, signal.SIGKILL),
    # PostgreSQL shuts down in fast mode: every connection is cut
    "restart_postgres": (1, SupervisedServer.list_postmasters, signal.SIGINT),
    "kill_valkey": (3, SupervisedServer.list_valkeys, signal.SIGKILL),
}
"""The faults that send a signal to one of some processes, with their weights."""

STOPS: dict[str, tuple[int, ListPids, float]] = {
    # it stays connected, but does not answer
    "stop_valkey": (4, SupervisedServer.list_valkeys, 1.0),
    "stop_api_process": (6, SupervisedServer.list_api_processes, 1.0),
    "stop_worker": (5, SupervisedServer.list_workers, 1.5),
    "stop_relay": (4, SupervisedServer.list_relays, 1.0),
    # it may hold a lock
    "stop_backend": (4, SupervisedServer.list_backends, 0.7),
}
"""The faults that stop a process for a while, with their weights and the seconds at the most."""

STATEMENTS: dict[str, tuple[int, LiteralString]] = {
    "terminate_backend": (  # one, whatever it is doing
        20,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = 'vola' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1",
    ),
    "cancel_statement": (  # one that is working
        10,
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = 'vola'"
        " AND state <> 'idle' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1",
    ),
}
"""The faults by which a superuser hits one of Vola's backends, with their weights."""

DISTURBANCES: dict[Disturbance, int] = {
    "cut_reply": 60,
    "half_reply": 30,
    "cut_request": 30,
    "slow_reply": 20,
}
"""The faults between a phone and the server (`proxy.py`), with their weights."""


def register_fault(weight: int) -> Callable[[Fault], Fault]:
    return lambda fault: _register(fault.__name__, weight, fault)


def _register(name: str, weight: int, fault: Fault) -> Fault:
    WEIGHTS[name] = weight
    return FAULTS.setdefault(name, fault)


@register_fault(6)
def lock_session(context: FaultContext) -> str | None:
    """Lock the head of an evening for 0.05 to 0.5 seconds from another connection."""
    with suppress(psycopg.Error, OSError, ValueError):
        with psycopg.connect(context.server.database_url("postgres", "vola")) as db:
            row = db.execute(
                "SELECT session_id FROM vola.heads ORDER BY at DESC LIMIT 1 OFFSET %s",
                (context.die.randint(0, 3),),
            ).fetchone()
            if row is None:
                return None
            db.execute("SELECT 1 FROM vola.heads WHERE session_id = %s FOR UPDATE", row)
            time.sleep(context.die.uniform(0.05, 0.5))
        return f"locked {str(row[0])[:8]}"
    return None


@register_fault(16)
def empty_valkey(context: FaultContext) -> str | None:
    """Delete every enqueued job."""
    with suppress(redis.RedisError, OSError, ValueError):
        redis.Redis.from_url(context.server.redis_url(), socket_timeout=1).flushall()
        return "flushall"
    return None


@register_fault(10)
def enqueue_twice(context: FaultContext) -> str | None:
    """Enqueue jobs again for recent payments, most of which have been settled."""
    with suppress(redis.RedisError, psycopg.Error, OSError, ValueError):
        with psycopg.connect(context.server.database_url("postgres", "vola")) as db:
            rows = db.execute(
                "SELECT session_id, payment_id FROM projections.payments"
                " ORDER BY due_at DESC LIMIT 20"
            ).fetchall()
        job_queue = queue.open_queue(queue.connect(context.server.redis_url(), patience_seconds=1))
        for session, payment in rows:
            for _ in range(context.die.randint(1, 3)):
                queue.enqueue_settlement(job_queue, str(session), payment)
        return f"{len(rows)} payments" if rows else None
    return None


def fail_fsync(context: FaultContext) -> str | None:
    """Let fsync of the log fail with EIO: PostgreSQL must not report the log as written."""
    pids = [*context.server.list_backends(), *context.server.list_wal_writers()]
    if not pids:
        return None
    command = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync"]
    command += ["-e", "inject=fdatasync,fsync:error=EIO:when=1"]
    for pid in pids:
        command += ["-p", str(pid)]
    tracer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.6)
    tracer.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        tracer.wait(3)
    if tracer.poll() is None:
        tracer.kill()
        tracer.wait()
    return f"EIO for {len(pids)} processes"


if shutil.which("strace"):
    register_fault(1)(fail_fsync)


def _signal_one(list_pids: ListPids, number: signal.Signals, context: FaultContext) -> int | None:
    """Send the signal to one of these processes, and return its id."""
    pids = list_pids(context.server)
    pid = context.die.choice(pids) if pids else None
    return pid if pid is not None and send_signal(pid, number) else None


def _send(list_pids: ListPids, number: signal.Signals, context: FaultContext) -> str | None:
    pid = _signal_one(list_pids, number, context)
    return f"{number.name} {pid}" if pid else None


def _stop(list_pids: ListPids, max_seconds: float, context: FaultContext) -> str | None:
    pid = _signal_one(list_pids, signal.SIGSTOP, context)
    if pid is None:
        return None
    seconds = context.die.uniform(0.1, max_seconds)
    threading.Timer(seconds, send_signal, (pid, signal.SIGCONT)).start()
    time.sleep(seconds)
    return f"stopped {pid} for {seconds:.1f} s"


def _run_as_superuser(statement: LiteralString, context: FaultContext) -> str | None:
    with (
        suppress(psycopg.Error, OSError),
        psycopg.connect(context.server.database_url("postgres"), autocommit=True) as db,
    ):
        return "signalled" if db.execute(statement).fetchone() else None
    return None


def _disturb(disturbance: Disturbance, context: FaultContext) -> str | None:
    context.proxy.disturb_next(disturbance)
    return disturbance


for name, (weight, list_pids, number) in SIGNALS.items():
    _register(name, weight, partial(_send, list_pids, number))
for name, (weight, list_pids, max_seconds) in STOPS.items():
    _register(name, weight, partial(_stop, list_pids, max_seconds))
for name, (weight, statement) in STATEMENTS.items():
    _register(name, weight, partial(_run_as_superuser, statement))
for disturbance, weight in DISTURBANCES.items():
    _register(disturbance, weight, partial(_disturb, disturbance))
