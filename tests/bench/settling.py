"""How soon a won la vola is settled, and how many settlements a second four workers make.

`python -m tests.bench.settling` prints promises.md P7 and P8, each with its reference taken in the
same run on the same servers.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from rq import Worker

import migrations
from ledger import database, servers
from ledger.store import Store
from tests.ledger.evening import act, open_session
from workers import queue

WORKERS = 4
VOLA: list[dict[str, Any]] = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "la_vola": {"player": "p2", "won": True}},
]
WAITS = """
SELECT s.at - w.at FROM vola.events w JOIN vola.events s ON s.session_id = w.session_id
 WHERE w.type = 'la_vola_won' AND s.type = 'payment_settled'
   AND (s.data::jsonb ->> 'deal') = (w.data::jsonb ->> 'deal')
"""
HIDE = "UPDATE projections.payments SET status = 'cancelled' WHERE status = 'due'"
SHOW = "UPDATE projections.payments SET status = 'due' WHERE status = 'cancelled'"
DUE = "SELECT count(*) FROM projections.payments WHERE status = 'due'"


@contextmanager
def working(app: str, redis: str, data: Path) -> Iterator[None]:
    """`vola worker -n 4`, warm."""
    environment = {**os.environ, "DATABASE_URL": app, "REDIS_URL": redis, "VOLA_DATA": str(data)}
    command = [sys.executable, "-m", "api.cli", "worker", "-n", str(WORKERS)]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        listening(redis, WORKERS)
        yield
    finally:
        process.terminate()
        process.wait(20)


def listening(redis: str, count: int) -> None:
    bell = queue.connect(redis)
    deadline = time.monotonic() + 60
    while len(Worker.all(connection=bell)) < count:
        assert time.monotonic() < deadline, "the workers do not come"
        time.sleep(0.05)


def soon(store: Store, url: str, wins: int) -> list[float]:
    """From the won la vola to each settled leg, in milliseconds; one win at a time."""
    session = open_session(store)
    with psycopg.connect(url, autocommit=True) as db:
        for _ in range(wins):
            act(store, session, VOLA)
            until_settled(db)
        return sorted(row[0] / 1000 for row in db.execute(WAITS))


def until_settled(db: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while db.execute(DUE).fetchone() != (0,):
        assert time.monotonic() < deadline, "it does not get settled"
        time.sleep(0.002)


def owe(store: Store, evenings: int) -> int:
    """So many evenings with a la vola due; how many legs that is."""

    def one(_: int) -> None:
        act(store, open_session(store), VOLA)

    with ThreadPoolExecutor(8) as hands:
        list(hands.map(one, range(evenings)))
    return evenings * 3


def drained(app: str, redis: str, data: Path, legs: int) -> float:
    """Settlements a second, as if all of it had been won at once when the workers were there."""
    with psycopg.connect(app, autocommit=True) as db:
        assert db.execute(HIDE).rowcount == legs
        with working(app, redis, data):
            began = time.perf_counter()
            db.execute(SHOW)
            db.execute("NOTIFY vola_due")
            until_settled(db, 300)
            return legs / (time.perf_counter() - began)


def nothing() -> None:
    """The job of the reference."""


def bare(redis: str, jobs: int) -> float:
    """Jobs a second of the same worker class with nothing to do."""
    bell = queue.queue(queue.connect(redis))
    bell.connection.flushdb()
    hands = [multiprocessing.Process(target=answer, args=(redis,)) for _ in range(WORKERS)]
    for hand in hands:
        hand.start()
    listening(redis, WORKERS)
    began = time.perf_counter()
    for _ in range(jobs):
        bell.enqueue_call(func="tests.bench.settling.nothing", result_ttl=0)
    while bell.count:
        time.sleep(0.002)
    rate = jobs / (time.perf_counter() - began)
    for hand in hands:
        hand.terminate()
        hand.join()
    bell.connection.flushdb()
    return rate


def answer(redis: str) -> None:
    queue.Worker(queue.queue(queue.connect(redis)), threading.Event()).work(logging_level="ERROR")


def main() -> int:
    asked = argparse.ArgumentParser(prog="settling", description=__doc__)
    asked.add_argument("--wins", type=int, default=200)
    asked.add_argument("--evenings", type=int, default=1000)
    asked.add_argument("--repetitions", type=int, default=3)
    given = asked.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vola-bench-")))
        own = stack.enter_context(servers.postgres(folder))
        bell = stack.enter_context(servers.valkey(folder)).url
        migrations.apply(own.owner_url, app_url=own.app_url, audit_url=own.audit_url)
        pool = database.pool(own.app_url, size=8)
        stack.callback(pool.close)
        store = Store(pool)
        with working(own.app_url, bell, folder):
            waits = soon(store, own.app_url, given.wins)
        p50, p99 = statistics.median(waits), waits[int(len(waits) * 0.99)]
        print(f"P7 la vola to settled: p50 {p50:.1f} ms, p99 {p99:.1f} ms, of {len(waits)} legs")
        settled, jobs = [], []
        for _ in range(given.repetitions):
            jobs.append(bare(bell, given.evenings))
            legs = owe(store, given.evenings)
            settled.append(drained(own.app_url, bell, folder, legs))
        ratios = sorted(a / b for a, b in zip(settled, jobs, strict=True))
        print(
            f"P8 settlements a second with {WORKERS} workers: {statistics.median(settled):.0f}; "
            f"bare RQ jobs: {statistics.median(jobs):.0f}; ratio {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f}-{ratios[-1]:.2f})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
