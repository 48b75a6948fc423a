"""Every job of the product, each with an evening of its own in which something is due.

A job is done by a process that may be struck; when it is, another one comes and does what is left,
as workers and relays do. Its rival is a relay that looks at the same time, or a phone that writes.
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

from ledger.operations import settlement_failures as stuck
from ledger.operations.counters import Counters, read_counters
from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore
from tests.verification.chaos.fault_injection import Fate
from tests.verification.chaos.scenarios import DEAL, VOLA, Ask, Host
from tests.verification.chaos.worker_context import Hands
from workers import queue
from workers import settle_job as la_vola

BREAK = "UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s AND version = 1"
MEND = "UPDATE vola.events SET type = 'session_opened' WHERE session_id = %s AND version = 1"
OWING = """
SELECT payment_id FROM projections.payments WHERE session_id = %s AND status = 'due'
 ORDER BY payment_id LIMIT 1
"""
COUNTED = "counted_at_a_boundary"


@dataclass(kw_only=True)
class Task:
    """A job that is to be done in an evening. `do`: by whom it is first tried; `then`: what a
    person does who sees that it sticks, before the last relay looks."""

    do: Callable[[Hands], None]
    rival: Ask | None
    evening: UUID
    then: Callable[[Hands], None] = lambda _: None


Prepare = Callable[[Host, Hands], Task]
JOBS: dict[str, Prepare] = {}


def job(prepare: Prepare) -> Prepare:
    return JOBS.setdefault(prepare.__name__.replace("_", " "), prepare)


def _owing(host: Host) -> tuple[UUID, Ask]:
    """A la vola has been won, and is not settled."""
    table = host.table()
    host.made(table.asking("/actions", {"actions": [*DEAL, VOLA]}))
    return table.id, table.pays()


def _payment(hands: Hands, evening: UUID) -> str:
    with psycopg.connect(hands.url) as db:
        row = db.execute(OWING, (evening,)).fetchone()
    assert row is not None
    return str(row[0])


@job
def settle(host: Host, hands: Hands) -> Task:
    """The job itself, as a worker runs it; what fails stays due."""
    evening, rival = _owing(host)

    def do(hands: Hands) -> None:
        # RQ keeps it as failed, and the relay looks
        with suppress(psycopg.Error, PoolTimeout, la_vola.NotSettled):
            la_vola.settle_session(EventStore(hands.pool), Counters(hands.pool), evening, "worker")

    return Task(do=do, rival=rival, evening=evening)


class Answering(queue.Worker):
    """A worker, but for the thread that RQ has listening for orders: it ends with its line."""

    def _pubsub_exception_handler(self, exc: Exception, pubsub: Any, pubsub_thread: Any) -> None:
        pubsub_thread.stop()


@job
def answer_the_bell(host: Host, hands: Hands) -> Task:
    """A whole worker at the doorbell: every call to Redis and to the book."""
    evening, rival = _owing(host)
    queue.enqueue_settlement(
        queue.open_queue(hands.redis(Fate())), str(evening), _payment(hands, evening)
    )

    def do(hands: Hands) -> None:
        la_vola.configure(EventStore(hands.pool))
        bell = queue.open_queue(hands.redis(hands.fate))
        with heard_before(), suppress(psycopg.Error, PoolTimeout, RedisError, OSError):
            Answering(bell, Event()).work(burst=True, logging_level="CRITICAL")

    return Task(do=do, rival=rival, evening=evening)


@contextmanager
def heard_before() -> Iterator[None]:
    """A worker listens for signals; afterwards whoever listened before does so again."""
    listening = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, listener in listening.items():
            signal.signal(number, listener)


@job
def look_and_ring(host: Host, hands: Hands) -> Task:
    evening, rival = _owing(host)
    return Task(do=lambda hands: hands.look(hands.relay(bell=True)), rival=rival, evening=evening)


@job
def look_and_settle_by_hand(host: Host, hands: Hands) -> Task:
    evening, rival = _owing(host)
    return Task(do=lambda hands: hands.look(hands.relay()), rival=rival, evening=evening)


@job
def note_what_sticks(host: Host, hands: Hands) -> Task:
    """An evening that this version cannot read, until somebody mends it."""
    evening, _ = _owing(host)
    hands.alter(BREAK, evening)

    def mended(hands: Hands) -> None:
        hands.alter(MEND, evening)
        stuck.retry_now(hands.pool)

    return Task(
        do=lambda hands: hands.look(hands.relay()), rival=None, evening=evening, then=mended
    )


@job
def try_again_what_stuck(host: Host, hands: Hands) -> Task:
    """Mended, and its time has come: it is settled and no more said to stick."""
    evening, rival = _owing(host)
    stuck.record_failure(host_pool(host), evening, RuntimeError("not today"))
    _at_once(hands, evening)
    return Task(
        do=lambda hands: hands.look(hands.relay(), sweep=True), rival=rival, evening=evening
    )


@job
def sweep(host: Host, hands: Hands) -> Task:
    """What has failed is thrown out of Redis, and what no more sticks out of the book."""
    evening, rival = _owing(host)
    clean = queue.open_queue(hands.redis(Fate()))
    queue.enqueue_settlement(clean, str(evening), "p1")
    [left] = clean.jobs
    clean.remove(left)
    clean.failed_job_registry.add(left, ttl=60)
    stuck.record_failure(host_pool(host), evening, RuntimeError("not today"))
    _at_once(hands, evening)
    return Task(
        do=lambda hands: hands.look(hands.relay(bell=True), sweep=True),
        rival=rival,
        evening=evening,
    )


@job
def add_up_tallies(host: Host, hands: Hands) -> Task:
    """A crash may lose what was counted, and a lost answer may count it twice; nothing fails."""
    evening, rival = _owing(host)
    before = read_counters(host_pool(host)).get(COUNTED, 0)

    def do(hands: Hands) -> None:
        counts = Counters(hands.pool)
        counts.add(COUNTED, 3)
        counts.write(now=True)
        counts.write(now=True)

    def held(hands: Hands) -> None:
        more = read_counters(host_pool(host)).get(COUNTED, 0) - before
        assert more in allowed(hands.fate), f"3 were counted, {more} are written: {hands.fate.mode}"

    return Task(do=do, rival=rival, evening=evening, then=held)


def allowed(fate: Fate) -> tuple[int, ...]:
    """What may be written of three that were counted."""
    if not fate.struck or fate.mode.startswith("waits") or fate.mode == "raises":
        return (3,)
    return (3, 6) if fate.mode == "loses the answer" else (0, 3)


def host_pool(host: Host) -> Pool:
    store: EventStore = host.client.application.extensions["store"]
    return store.pool


def _at_once(hands: Hands, evening: UUID) -> None:
    hands.alter(
        "UPDATE vola.settlement_failures SET retry_at = clock_timestamp() WHERE session_id = %s",
        evening,
    )
