"""Every job of the product, each with an evening of its own in which something is due.

A process with a fault runs the job; afterwards another one does what is left, as workers and relays
do. The rival is a relay that polls at the same time, or a phone that writes.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout
from redis import RedisError

from ledger.operations import settlement_failures
from ledger.operations.counters import Counters, read_counters
from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore
from tests.verification.chaos.boundaries.fault_injection import FaultInjector
from tests.verification.chaos.boundaries.scenarios import DEAL, VOLA, Ask, Host, by_name
from tests.verification.chaos.boundaries.worker_context import WorkerContext
from workers import queue, settle_job

BREAK_SESSION = "UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s AND version = 1"
REPAIR_SESSION = (
    "UPDATE vola.events SET type = 'session_opened' WHERE session_id = %s AND version = 1"
)
DUE_PAYMENT = """
SELECT payment_id FROM projections.payments WHERE session_id = %s AND status = 'due'
 ORDER BY payment_id LIMIT 1
"""
COUNTER_NAME = "counted_at_a_boundary"


@dataclass(kw_only=True)
class Task:
    """A job to be done in an evening. `do` is the first attempt; `repair` is what an operator does
    about a failure before the last relay polls."""

    do: Callable[[WorkerContext], None]
    rival: Ask | None
    evening: UUID
    repair: Callable[[WorkerContext], None] = lambda _: None


def _open_with_due_payments(host: Host) -> tuple[UUID, Ask]:
    """Win a la vola that is not settled. Return the evening and the rival's request."""
    table = host.table()
    host.send(table.request("/actions", {"actions": [*DEAL, VOLA]}))
    return table.id, table.rival_transfer()


def _payment(worker: WorkerContext, evening: UUID) -> str:
    with psycopg.connect(worker.url) as db:
        row = db.execute(DUE_PAYMENT, (evening,)).fetchone()
    assert row is not None
    return str(row[0])


def settle(host: Host, worker: WorkerContext) -> Task:
    """Run the job itself, as a worker does; what fails stays due."""
    evening, rival = _open_with_due_payments(host)

    def do(worker: WorkerContext) -> None:
        # RQ keeps the job as failed, and the relay finds the payment due
        with suppress(psycopg.Error, PoolTimeout, settle_job.NotSettled):
            settle_job.settle_session(
                EventStore(worker.pool), Counters(worker.pool), evening, "worker"
            )

    return Task(do=do, rival=rival, evening=evening)


class QueueWorker(queue.Worker):
    """A worker in which RQ's thread that listens for commands ends with its connection."""

    def _pubsub_exception_handler(self, exc: Exception, pubsub: Any, pubsub_thread: Any) -> None:
        pubsub_thread.stop()


def run_a_queued_job(host: Host, worker: WorkerContext) -> Task:
    """Run a whole worker, with every call to Redis and to the book."""
    evening, rival = _open_with_due_payments(host)
    queue.enqueue_settlement(
        queue.open_queue(worker.redis(FaultInjector())), str(evening), _payment(worker, evening)
    )

    def do(worker: WorkerContext) -> None:
        settle_job.configure(EventStore(worker.pool))
        job_queue = queue.open_queue(worker.redis(worker.injector))
        with restored_signal_handlers(), suppress(psycopg.Error, PoolTimeout, RedisError, OSError):
            QueueWorker(job_queue, Event()).work(burst=True, logging_level="CRITICAL")

    return Task(do=do, rival=rival, evening=evening)


@contextmanager
def restored_signal_handlers() -> Iterator[None]:
    """Restore the signal handlers that a worker replaces."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def poll_and_enqueue(host: Host, worker: WorkerContext) -> Task:
    evening, rival = _open_with_due_payments(host)
    return Task(
        do=lambda worker: worker.poll(worker.relay(enqueue=True)), rival=rival, evening=evening
    )


def poll_and_settle(host: Host, worker: WorkerContext) -> Task:
    evening, rival = _open_with_due_payments(host)
    return Task(do=lambda worker: worker.poll(worker.relay()), rival=rival, evening=evening)


def record_a_failure(host: Host, worker: WorkerContext) -> Task:
    """Record that an evening cannot be settled, because it cannot be read until it is repaired."""
    evening, _ = _open_with_due_payments(host)
    worker.alter(BREAK_SESSION, evening)

    def repair_session(worker: WorkerContext) -> None:
        worker.alter(REPAIR_SESSION, evening)
        settlement_failures.retry_now(worker.pool)

    return Task(
        do=lambda worker: worker.poll(worker.relay()),
        rival=None,
        evening=evening,
        repair=repair_session,
    )


def retry_a_failure(host: Host, worker: WorkerContext) -> Task:
    """Retry a failure that is due and repaired: the evening is settled, the failure deleted."""
    evening, rival = _open_with_due_payments(host)
    settlement_failures.record_failure(host_pool(host), evening, RuntimeError("not today"))
    _make_retry_due(worker, evening)
    return Task(
        do=lambda worker: worker.poll(worker.relay(), sweep=True), rival=rival, evening=evening
    )


def sweep(host: Host, worker: WorkerContext) -> Task:
    """Delete failed jobs from Redis, and resolved failures from the book."""
    evening, rival = _open_with_due_payments(host)
    job_queue = queue.open_queue(worker.redis(FaultInjector()))
    queue.enqueue_settlement(job_queue, str(evening), "p1")
    [failed_job] = job_queue.jobs
    job_queue.remove(failed_job)
    job_queue.failed_job_registry.add(failed_job, ttl=60)
    settlement_failures.record_failure(host_pool(host), evening, RuntimeError("not today"))
    _make_retry_due(worker, evening)
    return Task(
        do=lambda worker: worker.poll(worker.relay(enqueue=True), sweep=True),
        rival=rival,
        evening=evening,
    )


def add_up_counters(host: Host, worker: WorkerContext) -> Task:
    """Write counters: a crash may lose counts, a lost answer may double them; nothing fails."""
    evening, rival = _open_with_due_payments(host)
    before = read_counters(host_pool(host)).get(COUNTER_NAME, 0)

    def do(worker: WorkerContext) -> None:
        counts = Counters(worker.pool)
        counts.add(COUNTER_NAME, 3)
        counts.write(now=True)
        counts.write(now=True)

    def check_counts(worker: WorkerContext) -> None:
        written = read_counters(host_pool(host)).get(COUNTER_NAME, 0) - before
        assert written in list_allowed_counts(worker.injector), (
            f"3 were counted, {written} are written: {worker.injector.mode}"
        )

    return Task(do=do, rival=rival, evening=evening, repair=check_counts)


def list_allowed_counts(injector: FaultInjector) -> tuple[int, ...]:
    """Return which counts may be written when 3 were counted."""
    if not injector.was_injected or injector.mode.startswith("waits") or injector.mode == "raises":
        return (3,)
    return (3, 6) if injector.mode == "loses the answer" else (0, 3)


def host_pool(host: Host) -> Pool:
    store: EventStore = host.client.application.extensions["store"]
    return store.pool


def _make_retry_due(worker: WorkerContext, evening: UUID) -> None:
    worker.alter(
        "UPDATE vola.settlement_failures SET retry_at = clock_timestamp() WHERE session_id = %s",
        evening,
    )


JOBS = by_name(
    settle,
    run_a_queued_job,
    poll_and_enqueue,
    poll_and_settle,
    record_a_failure,
    retry_a_failure,
    sweep,
    add_up_counters,
)
