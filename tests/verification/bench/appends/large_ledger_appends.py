"""The time of an append in a book of very many events.

It is measured in evenings that the process has in memory, in ten thousand evenings that it has not,
and while the tables are being vacuumed.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from random import Random
from uuid import UUID

import psutil
import psycopg

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.api.socket_clients import percentile
from tests.support.databases import DatabaseUrls
from tests.verification.bench import deal_workload, large_ledger
from tests.verification.bench.appends.growth import Player
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.sessions.resource_usage import table_sizes

SESSIONS = 10_000
"""Evenings, each as likely to be played next; that is more than a server plays at a time."""
VACUUM = "VACUUM (FREEZE, ANALYZE)"


def compare_sizes(context: BenchContext, sizes: list[int], appends: int) -> Iterator[str]:
    """Yield the median append of a deal in an empty book, and in books of each of these `sizes`."""
    with context.database() as urls:
        alone = Player(urls)
        median = statistics.median(time_appends(alone, appends))
        yield f"a deal appended to an empty book: {median:.2f} ms"
        for events in sizes:
            with context.database() as big:
                began, ids = time.perf_counter(), large_ledger.make_session_ids(events)
                written = large_ledger.fill_ledger(big, ids)
                filled = time.perf_counter() - began
                player = Player(big)
                context.checkpoint()
                rounds = [
                    (time_appends(alone, appends), time_appends(player, appends)) for _ in range(5)
                ]
                ratios = [statistics.median(b) / statistics.median(a) for a, b in rounds]
                ours = statistics.median(ms for _, b in rounds for ms in b)
                size = sum(map(sum, table_sizes(big).values()))
                yield (
                    f"among {written:,} events: {ours:.2f} ms, {statistics.median(ratios):.2f} × "
                    f"({min(ratios):.2f}–{max(ratios):.2f}); the book takes {size / 1e9:.2f} GB; "
                    f"made in {filled:.0f} s"
                )
                yield appends_in_many_sessions(big, ids[:SESSIONS], appends)
                yield measure_during_vacuum(big, player, appends)
                player.store.pool.close()
        alone.store.pool.close()


def appends_in_many_sessions(urls: DatabaseUrls, ids: list[UUID], appends: int) -> str:
    """Return the times of appends to random evenings, most of which must first be read back."""
    die = Random(2)
    played: Counter[UUID] = Counter()
    me = psutil.Process()
    rss = me.memory_info().rss
    store = EventStore(database.open_pool(urls.app, size=1, name="bench"))
    took: list[float] = []
    for _ in range(10 * appends):
        session_id = die.choice(ids)
        began = time.perf_counter()
        deal_workload.play_deal(store, session_id, large_ledger.DEALS + played[session_id])
        took.append((time.perf_counter() - began) * 1000)
        played[session_id] += 1
    store.pool.close()
    took.sort()
    grown = (me.memory_info().rss - rss) / 1e6
    return (
        f"  in whichever of {len(ids):,} evenings ({len(took):,} deals in {len(played):,}): "
        f"p50 {percentile(took, 0.5):.2f} ms, p99 {percentile(took, 0.99):.2f} ms; "
        f"the process has grown by {grown:.0f} MB"
    )


def measure_during_vacuum(urls: DatabaseUrls, player: Player, appends: int) -> str:
    """Return the times of appends during a vacuum that freezes everything, and before it."""
    calm = sorted(time_appends(player, 2 * appends))
    with psycopg.connect(urls.super, autocommit=True) as db:
        thread = threading.Thread(target=db.execute, args=(VACUUM,))
        began = time.perf_counter()
        thread.start()
        vacuum_times: list[float] = []
        while thread.is_alive():
            vacuum_times.append(player.play_deal())
        took = time.perf_counter() - began
        thread.join()
    vacuum_times.sort()
    return (
        f"  while everything is vacuumed and frozen ({took:.1f} s): {len(vacuum_times)} deals, "
        f"p50 {percentile(vacuum_times, 0.5):.2f} ms, p99 {percentile(vacuum_times, 0.99):.2f} ms; "
        f"before it p50 {percentile(calm, 0.5):.2f} ms, p99 {percentile(calm, 0.99):.2f} ms"
    )


def time_appends(player: Player, appends: int) -> list[float]:
    return [player.play_deal() for _ in repeat(None, appends)]
