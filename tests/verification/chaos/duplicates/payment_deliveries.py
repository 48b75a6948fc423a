"""One payment, enqueued one to twenty times at once, with four worker processes.

In a trial, a la vola has been won, and one of its payments is enqueued again and again. Exactly one
event must settle each payment, and every later job must find nothing to do.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from uuid import UUID

from rq import Queue

from ledger.operations.counters import read_counters
from ledger.store import connection_pool as database
from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore
from tests.support.ledger.store_session import act, open_session
from tests.verification.chaos.duplicates.trial_result import TrialResult
from workers import main as worker_main
from workers import queue

WORKERS = 4
MOST_DELIVERIES = 20
BATCH = 50
"""Sessions whose jobs are enqueued before the run waits for them."""
PATIENCE_SECONDS = 120
LOOK_SECONDS = 0.02
JOB_KEYS = "rq:job:*"

VOLA = (
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "la_vola": {"player": "p2", "won": True}},
)
SETTLED = """
SELECT count(*), count(DISTINCT (session_id, data::json ->> 'payment')) FROM vola.events
 WHERE type = 'payment_settled'
"""
PAYMENTS_AND_SETTLED = (
    "SELECT count(*), count(*) FILTER (WHERE status = 'settled') FROM projections.payments"
)
HEADS = "SELECT max(version), min(version) FROM vola.heads"
PAYMENT_IDS = (
    "SELECT payment_id FROM projections.payments WHERE session_id = %s ORDER BY payment_id"
)


@contextmanager
def run_workers(url: str, redis_url: str) -> Iterator[None]:
    """Run four worker processes and no relay: what is not enqueued stays due."""
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(
            target=worker_main.run_worker, args=(url, redis_url), kwargs={"relay": False}
        )
        for _ in range(WORKERS)
    ]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()  # SIGTERM: a running job is finished first
        for process in processes:
            process.join()


def run_payment_trials(url: str, redis_url: str, trials: int, seed: str) -> TrialResult:
    """Run `trials` trials on a book of their own; exactly one event must settle each payment."""
    started_at, die, result = time.monotonic(), Random(f"{seed} payments"), TrialResult("payments")
    pool = database.open_pool(url)
    store, job_queue = EventStore(pool), queue.open_queue(queue.connect(redis_url))
    with run_workers(url, redis_url):
        for offset in range(0, trials, BATCH):
            for evening in [
                _open_with_due_payments(store) for _ in range(min(BATCH, trials - offset))
            ]:
                with pool.connection() as db:
                    payment_ids = [row[0] for row in db.execute(PAYMENT_IDS, (evening,))]
                payment, times = die.choice(payment_ids), die.randint(1, MOST_DELIVERIES)
                for _ in range(times):
                    queue.enqueue_settlement(job_queue, str(evening), payment)
                result.counted.update(trials=1, deliveries=times)
            _wait_until_drained(job_queue)
    counted = read_counters(pool)
    result.counted.update(settled=counted["settled_by_worker"], absorbed=counted["absorbed"])
    result.faults += _findings_about_settlements(pool, result.counted)
    pool.close()
    result.seconds = time.monotonic() - started_at
    return result


def _open_with_due_payments(store: EventStore) -> UUID:
    """Open an evening of three in which a la vola is won: two payments are due."""
    evening = open_session(store, players=3)
    act(store, evening, list(VOLA))
    return evening


def _wait_until_drained(job_queue: Queue) -> None:
    """Wait until every job is finished, which deletes its key. A job that a worker has just taken
    is neither in the queue nor in a registry."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while unfinished := [*job_queue.connection.scan_iter(JOB_KEYS)]:
        assert time.monotonic() < deadline, f"{len(unfinished)} jobs are not finished"
        time.sleep(LOOK_SECONDS)  # polling a queue, with a deadline


def _findings_about_settlements(pool: Pool, counted: Counter[str]) -> Iterator[str]:
    trials = counted["trials"]
    with pool.connection() as db:
        events, distinct = db.execute(SETTLED).fetchall()[0]
        payments, settled = db.execute(PAYMENTS_AND_SETTLED).fetchall()[0]
        longest, shortest = db.execute(HEADS).fetchall()[0]
    if (events, distinct) != (2 * trials, 2 * trials):
        yield f"{2 * trials} payments, {events} events that settle {distinct} of them"
    if (payments, settled) != (2 * trials, 2 * trials):
        yield f"{2 * trials} payments, {payments} in the table, {settled} of them settled"
    if longest != shortest:
        yield f"evenings that are alike have {shortest} to {longest} events"
    if counted["settled"] != 2 * trials:
        yield f"the workers say that they settled {counted['settled']}"
    if counted["absorbed"] != counted["deliveries"] - trials:
        yield f"{counted['absorbed']} of {counted['deliveries']} found nothing to do"
