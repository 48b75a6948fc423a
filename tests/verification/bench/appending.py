"""How fast events are written: one at a time (P1) and a whole deal at a time (P2), by eight writers
at once, each with an evening of his own, beside pgbench on the same table.

Eight are eight processes, eight threads of one, or four threads of each of two, as in the server.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import cache, partial

from api.server.granian_server import API_PROCESSES
from ledger.events.recorded_event import RecordedEvent
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.verification.bench import bare_inserts, deal_workload, parallel_workers, pgbench
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import Measured, in_turn, median_ratio
from tests.verification.bench.parallel_workers import WARM, Ready, WorkerProcesses

DEALS = 100
"""Then the next evening begins: one in 750 events is written twice over, to open it."""
SERVERS = API_PROCESSES


@cache
def store(url: str) -> EventStore:
    """Kept for the next repetition."""
    return EventStore(database.open_pool(url, size=1, name="bench"))


def singles(book: EventStore) -> Iterator[int]:
    """Appends the events of evenings one by one, each in a transaction; one for each step."""
    while True:
        session_id = deal_workload.begin(book)
        for place, fact in enumerate(deal_workload.facts(DEALS)[1:]):
            deal_workload.append(book, session_id, f"fact {place}", (fact,))
            yield 1


def deals(book: EventStore) -> Iterator[int]:
    """Plays deals, each decided and appended in a transaction; how many events each step was."""
    lengths = [len(deal_events) for deal_events in deal_workload.by_deal(DEALS)]
    while True:
        session_id = deal_workload.begin(book)
        for number, length in enumerate(lengths):
            deal_workload.play(book, session_id, number)
            yield length


STEPS = {"singles": singles, "deals": deals}


def write(ready: Ready, url: str, kind: str, seconds: float) -> float:
    """Events a second of this process."""
    steps = STEPS[kind](store(url))
    for _ in range(WARM):
        next(steps)
    ready()
    began, count = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        count += next(steps)
    return count / (time.perf_counter() - began)


def by_threads(ready: Ready, url: str, kind: str, seconds: float, writers: int) -> float:
    """The same by threads of this process, which share a store as those of the server do."""
    book = EventStore(database.open_pool(url, size=writers, name="bench"))
    try:
        return parallel_workers.by_threads(ready, writers, seconds, partial(STEPS[kind], book))
    finally:
        book.pool.close()


def one_event(context: BenchContext) -> Iterator[Measured]:
    """P1."""
    middle = sorted(deal_workload.evening(DEALS).history, key=lambda event: len(event.data))
    yield from _compare_with_pgbench(context, "P1", "singles", [middle[len(middle) // 2]])


def whole_deals(context: BenchContext) -> Iterator[Measured]:
    """P2."""
    length = round(mean_length())
    typical_deal = min(deal_workload.by_deal(DEALS), key=lambda deal: abs(len(deal) - length))
    yield from _compare_with_pgbench(
        context, "P2", "deals", [*typical_deal, *typical_deal][:length]
    )


def mean_length() -> float:
    return statistics.mean(len(deal) for deal in deal_workload.by_deal(DEALS))


def _compare_with_pgbench(
    context: BenchContext, name: str, kind: str, events: list[RecordedEvent]
) -> Iterator[Measured]:
    sizes, file = context.sizes, context.folder / f"{name}.sql"
    file.write_text(pgbench.script(events))
    program = context.postgres.bin / "pgbench"
    writers, shared = sizes.writers, max(1, sizes.writers // SERVERS)
    with (
        context.database() as urls,
        WorkerProcesses(writers) as many,
        WorkerProcesses(1) as single,
        WorkerProcesses(SERVERS) as servers,
    ):
        operands = urls.app, kind, sizes.seconds
        ours = {
            f"{writers} processes": lambda: sum(many.run(write, *operands)),
            f"{writers} threads": lambda: sum(single.run(by_threads, *operands, writers)),
            f"{SERVERS} processes of {shared} threads": lambda: sum(
                servers.run(by_threads, *operands, shared)
            ),
        }

        def reference() -> float:
            commits = pgbench.commits(program, urls.app, file, writers, sizes.seconds)
            return len(events) * commits

        def by_psycopg() -> float:
            operands_ = urls.app, sizes.seconds, shared, len(events)
            return sum(servers.run(bare_inserts.by_threads, *operands_))

        sides = {**ours, "pgbench": reference, "bare": by_psycopg}
        rates = in_turn(sides, sizes.repetitions, context.calm)
    best, *slower = sorted(ours, key=lambda side: -statistics.median(rates[side]))
    row = "row" if len(events) == 1 else "rows"
    yield Measured(
        name=name,
        ours=rates[best],
        reference=rates["pgbench"],
        unit="events/s",
        notes=[
            "; ".join(
                (best, *(f"{x}: {statistics.median(rates[x]):,.0f} events/s" for x in slower))
            ),
            f"pgbench: {len(events)} {row} a commit, prepared, to vola.events",
            *([f"{mean_length():.1f} events a deal"] if name == "P2" else []),
            f"as many rows by psycopg in {SERVERS} processes, and nothing else: "
            f"{statistics.median(rates['bare']):,.0f} events/s, "
            f"{median_ratio(rates['bare'], rates['pgbench']):.2f} ×",
        ],
    )
