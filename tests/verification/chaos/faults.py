"""The faults: one function each, which does to the server what accidents do.

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


def register_fault(weight: int) -> Callable[[Fault], Fault]:
    def register(fault: Fault) -> Fault:
        name = fault.__name__
        WEIGHTS[name] = weight
        return FAULTS.setdefault(name, fault)

    return register


def _signal_one(
    context: FaultContext, pids: list[int], number: signal.Signals = signal.SIGKILL
) -> str | None:
    """Send the signal to one of these processes."""
    pid = context.die.choice(pids) if pids else None
    return f"{number.name} {pid}" if pid is not None and send_signal(pid, number) else None


@register_fault(6)
def kill_api_process(context: FaultContext) -> str | None:
    """Kill one of the processes that answer requests."""
    return _signal_one(context, context.server.list_api_processes())


@register_fault(1)
def kill_api_master(context: FaultContext) -> str | None:
    """Kill the process that holds the port, and so all other API processes."""
    return _signal_one(context, context.server.list_masters())


@register_fault(1)
def restart_api(context: FaultContext) -> str | None:
    """Send SIGTERM to the API: requests in flight are finished, or the phones repeat them."""
    return _signal_one(context, context.server.list_masters(), signal.SIGTERM)


@register_fault(4)
def kill_worker(context: FaultContext) -> str | None:
    """Kill a worker that takes jobs; RQ's SimpleWorker has no work horse of its own."""
    return _signal_one(context, context.server.list_workers())


@register_fault(4)
def kill_relay(context: FaultContext) -> str | None:
    """Kill a process that runs a relay."""
    return _signal_one(context, context.server.list_relays())


@register_fault(1)
def kill_backend(context: FaultContext) -> str | None:
    """Kill a PostgreSQL backend: PostgreSQL ends all other backends and recovers."""
    return _signal_one(context, context.server.list_backends())


@register_fault(1)
def kill_postmaster(context: FaultContext) -> str | None:
    """Kill PostgreSQL, which is down until the server starts it again."""
    return _signal_one(context, context.server.list_postmasters())


@register_fault(1)
def restart_postgres(context: FaultContext) -> str | None:
    """Shut PostgreSQL down in fast mode: every connection is cut."""
    return _signal_one(context, context.server.list_postmasters(), signal.SIGINT)


@register_fault(20)
def terminate_backend(context: FaultContext) -> str | None:
    """Call `pg_terminate_backend` on one of Vola's backends, whatever it is doing."""
    return _run_as_superuser(
        context,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = 'vola' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1",
    )


@register_fault(10)
def cancel_statement(context: FaultContext) -> str | None:
    """Call `pg_cancel_backend` on one of Vola's backends that is working."""
    return _run_as_superuser(
        context,
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = 'vola'"
        " AND state <> 'idle' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1",
    )


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


@register_fault(3)
def kill_valkey(context: FaultContext) -> str | None:
    return _signal_one(context, context.server.list_valkeys())


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


@register_fault(4)
def stop_valkey(context: FaultContext) -> str | None:
    """Let Valkey hang: it stays connected, but does not answer."""
    return _stop(context, context.server.list_valkeys(), 1.0)


@register_fault(6)
def stop_api_process(context: FaultContext) -> str | None:
    return _stop(context, context.server.list_api_processes(), 1.0)


@register_fault(5)
def stop_worker(context: FaultContext) -> str | None:
    return _stop(context, context.server.list_workers(), 1.5)


@register_fault(4)
def stop_relay(context: FaultContext) -> str | None:
    return _stop(context, context.server.list_relays(), 1.0)


@register_fault(4)
def stop_backend(context: FaultContext) -> str | None:
    """Stop a PostgreSQL backend for a while, which may hold a lock."""
    return _stop(context, context.server.list_backends(), 0.7)


@register_fault(60)
def cut_reply(context: FaultContext) -> str | None:
    """Let a request arrive, and cut off its answer."""
    return _disturb(context, "cut_reply")


@register_fault(30)
def half_reply(context: FaultContext) -> str | None:
    return _disturb(context, "half_reply")


@register_fault(30)
def cut_request(context: FaultContext) -> str | None:
    """Cut off a request in the middle."""
    return _disturb(context, "cut_request")


@register_fault(20)
def slow_reply(context: FaultContext) -> str | None:
    return _disturb(context, "slow_reply")


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


def _run_as_superuser(context: FaultContext, statement: LiteralString) -> str | None:
    with (
        suppress(psycopg.Error, OSError, ValueError, IndexError),
        psycopg.connect(context.server.database_url("postgres"), autocommit=True) as db,
    ):
        return "signalled" if db.execute(statement).fetchone() else None
    return None


def _stop(context: FaultContext, pids: list[int], max_seconds: float) -> str | None:
    pid = context.die.choice(pids) if pids else None
    if pid is None or not send_signal(pid, signal.SIGSTOP):
        return None
    seconds = context.die.uniform(0.1, max_seconds)
    threading.Timer(seconds, send_signal, (pid, signal.SIGCONT)).start()
    time.sleep(seconds)
    return f"stopped {pid} for {seconds:.1f} s"


def _disturb(context: FaultContext, disturbance: Disturbance) -> str | None:
    context.proxy.disturb_next(disturbance)
    return disturbance
