"""The rate of appends: one event (P1) or a whole deal (P2) in each transaction.

The reference is psycopg, which writes as many rows from as many threads. The writers are the
threads of as many processes as a server has, and each has an evening of its own.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial

from api.server.granian_server import API_PROCESSES
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.verification.bench import deal_workload, parallel_workers
from tests.verification.bench.appends import bare_inserts
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import Measurement, compare_sides, run_in_turn
from tests.verification.bench.parallel_workers import Ready, WorkerProcesses

DEALS = 100
"""Deals of an evening. To open the next one, a writer writes an event (one in 750) that is not
counted."""


def append_singly(book: EventStore) -> Iterator[int]:
    """Append the events of evenings, each in its own transaction. Yield 1 for each."""
    while True:
        session_id = deal_workload.open_session(book)
        for place, fact in enumerate(deal_workload.deal_events(DEALS)[1:]):
            deal_workload.append(book, session_id, f"fact {place}", (fact,))
            yield 1


def append_deals(book: EventStore) -> Iterator[int]:
    """Play deals, each decided and appended in one transaction. Yield its number of events."""
    lengths = [len(deal_events) for deal_events in deal_workload.events_by_deal(DEALS)]
    while True:
        session_id = deal_workload.open_session(book)
        for number, length in enumerate(lengths):
            deal_workload.play_deal(book, session_id, number)
            yield length


STEPS = {"singles": append_singly, "deals": append_deals}


def by_threads(ready: Ready, url: str, seconds: float, writers: int, kind: str) -> float:
    """Return the events per second that `writers` threads of this process append together. They
    share a store, as the threads of the server do."""
    book = EventStore(database.open_pool(url, size=writers, name="bench"))
    try:
        return parallel_workers.run_threads(ready, writers, seconds, partial(STEPS[kind], book))
    finally:
        book.pool.close()


def measure_events(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P1."""
    yield _compare_with_psycopg(context, "P1", "singles", rows=1, notes=[])


def measure_deals(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P2."""
    length = statistics.mean(len(deal) for deal in deal_workload.events_by_deal(DEALS))
    rows = round(length)
    notes = [f"{length:.1f} events a deal and commit, beside {rows} rows a commit"]
    yield _compare_with_psycopg(context, "P2", "deals", rows, notes)


def _compare_with_psycopg(
    context: BenchContext, name: str, kind: str, rows: int, notes: list[str]
) -> Measurement:
    sizes = context.sizes
    threads = max(1, sizes.writers // API_PROCESSES)
    with context.database() as urls, WorkerProcesses(API_PROCESSES) as processes:
        operands = urls.app, sizes.seconds, threads
        sides = {
            "ours": lambda: sum(processes.run(by_threads, *operands, kind)),
            "psycopg": lambda: sum(processes.run(bare_inserts.by_threads, *operands, rows)),
        }
        rates = run_in_turn(sides, sizes.repetitions, context.checkpoint)
    writers = f"{API_PROCESSES} processes of {threads} threads"
    return compare_sides(name, rates, "psycopg", "events/s", [writers, *notes])
