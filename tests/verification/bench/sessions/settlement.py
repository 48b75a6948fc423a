"""The time until a won la vola is settled, and the settlements per second of four workers.

P7 is measured on a quiet system; the reference of P8 is bare RQ on the same servers.
"""

from __future__ import annotations

import multiprocessing
import signal
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from rq import Worker

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.api.socket_clients import percentile
from tests.support.ledger.store_session import act, open_session
from tests.support.server_process import ModuleProcess
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import Measurement, make_absolute_row
from workers import queue

VOLA: list[dict[str, Any]] = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "la_vola": {"player": "p2", "won": True}},
]
WAITS = """
SELECT s.at - w.at FROM vola.events w JOIN vola.events s ON s.session_id = w.session_id
 WHERE w.session_id = %s AND w.type = 'la_vola_won' AND s.type = 'payment_settled'
   AND (s.data::jsonb ->> 'deal') = (w.data::jsonb ->> 'deal')
"""
HIDE = "UPDATE projections.payments SET status = 'cancelled' WHERE status = 'due'"
SHOW = "UPDATE projections.payments SET status = 'due' WHERE status = 'cancelled'"
DUE = "SELECT count(*) FROM projections.payments WHERE status = 'due'"


@contextmanager
def run_workers(app_url: str, redis_url: str, data: Path, workers: int) -> Iterator[None]:
    """Run `vola worker -n …` inside the `with`; it begins when all workers listen."""
    environment = {"DATABASE_URL": app_url, "REDIS_URL": redis_url, "VOLA_DATA": str(data)}
    process = ModuleProcess(["worker", "-n", str(workers)], environment, data / "worker.log")
    process.launch()
    try:
        wait_for_workers(redis_url, workers)
        yield
    finally:
        process.stop(signal.SIGTERM)


def wait_for_workers(redis_url: str, count: int) -> None:
    connection = queue.connect(redis_url)
    deadline = time.monotonic() + 60
    while len(Worker.all(connection=connection)) < count:
        assert time.monotonic() < deadline, "the workers do not come"
        time.sleep(0.05)


def settlement_times(store: EventStore, url: str, wins: int) -> list[float]:
    """Win la vola `wins` times, each after the last is settled. Return the milliseconds from a win
    to each of its settled legs, sorted."""
    session = open_session(store)
    with psycopg.connect(url, autocommit=True) as db:
        for _ in range(wins):
            act(store, session, VOLA)
            wait_until_settled(db)
        return sorted(row[0] / 1000 for row in db.execute(WAITS, (session,)))


def wait_until_settled(db: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while db.execute(DUE).fetchone() != (0,):
        assert time.monotonic() < deadline, "the payments are not settled"
        time.sleep(0.002)


def create_due_payments(store: EventStore, evenings: int) -> int:
    """Play `evenings` evenings, each with a la vola due. Return the number of legs."""

    def win_la_vola(_: int) -> None:
        act(store, open_session(store), VOLA)

    with ThreadPoolExecutor(8) as executor:
        list(executor.map(win_la_vola, range(evenings)))
    return evenings * 3


def settlement_rate(app_url: str, redis_url: str, data: Path, legs: int, workers: int) -> float:
    """Return the settlements per second, as if all were won at once when the workers were ready."""
    with psycopg.connect(app_url, autocommit=True) as db:
        assert db.execute(HIDE).rowcount == legs
        with run_workers(app_url, redis_url, data, workers):
            began = time.perf_counter()
            db.execute(SHOW)
            db.execute("NOTIFY vola_due")
            wait_until_settled(db, 300)
            return legs / (time.perf_counter() - began)


def do_nothing() -> None:
    """Do nothing: the job of the reference."""


def rq_job_rate(redis_url: str, jobs: int, workers: int) -> float:
    """Return the jobs per second of the same worker class when jobs do nothing."""
    job_queue = queue.open_queue(queue.connect(redis_url))
    job_queue.connection.flushdb()
    processes = [
        multiprocessing.Process(target=run_reference_worker, args=(redis_url,))
        for _ in range(workers)
    ]
    for process in processes:
        process.start()
    wait_for_workers(redis_url, workers)
    began = time.perf_counter()
    for _ in range(jobs):
        job_queue.enqueue_call(
            func="tests.verification.bench.sessions.settlement.do_nothing", result_ttl=0
        )
    while job_queue.count:
        time.sleep(0.002)
    rate = jobs / (time.perf_counter() - began)
    for process in processes:
        process.terminate()
        process.join()
    job_queue.connection.flushdb()
    return rate


def run_reference_worker(redis_url: str) -> None:
    queue.Worker(queue.open_queue(queue.connect(redis_url)), threading.Event()).work(
        logging_level="ERROR"
    )


def open_store(stack: ExitStack, url: str, size: int) -> EventStore:
    """Return a store with a pool of its own, which the stack closes."""
    pool = database.open_pool(url, size=size)
    stack.callback(pool.close)
    return EventStore(pool)


def settlement_latency(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P7."""
    sizes = context.sizes
    with context.database() as urls, ExitStack() as stack:
        store = open_store(stack, urls.app, size=2)
        stack.enter_context(run_workers(urls.app, context.redis_url, context.folder, sizes.workers))
        settlement_times(store, urls.app, 2)  # warm
        rounds = []
        for _ in range(sizes.repetitions):
            context.checkpoint()
            rounds.append(settlement_times(store, urls.app, sizes.wins))
    p50 = [statistics.median(waits) for waits in rounds]
    p99 = [percentile(waits, 0.99) for waits in rounds]
    notes = [
        f"{len(rounds[0])} legs a repetition, by the book's own clock; p50 "
        f"{statistics.median(p50):.1f} ms"
    ]
    yield make_absolute_row("P7", p99, "ms", notes)


def settlement_throughput(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P8."""
    sizes = context.sizes
    with context.database() as urls, ExitStack() as stack:
        store = open_store(stack, urls.app, size=8)
        settled: list[float] = []
        jobs: list[float] = []
        for _ in range(sizes.repetitions):
            jobs.append(rq_job_rate(context.redis_url, sizes.due_evenings, sizes.workers))
            legs = create_due_payments(store, sizes.due_evenings)
            context.checkpoint()
            settled.append(
                settlement_rate(urls.app, context.redis_url, context.folder, legs, sizes.workers)
            )
    yield Measurement(
        name="P8",
        ours=settled,
        reference=jobs,
        unit="a second",
        notes=[
            f"{sizes.due_evenings:,} evenings with three legs due, {sizes.due_evenings:,} jobs; "
            f"{sizes.workers} workers; one job settles all that is due in an evening"
        ],
    )
