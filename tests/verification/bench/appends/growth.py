"""The cost of an append in a large book and in a long evening, beside an empty book (P6).

The book has very many events, the evening very many deals. The three are measured by turns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count, cycle
from uuid import UUID

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.databases import DatabaseUrls
from tests.verification.bench import deal_workload, large_ledger
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import Measurement, compare_sides, run_in_turn

EVENINGS = 8
"""New evenings, played by turns, so that the appends do not all update the same row."""
WARM = 40


class Player:
    """A player of deals in one book: in one long evening, or in several new ones by turns."""

    def __init__(
        self, urls: DatabaseUrls, long_session_id: UUID | None = None, played: int = 0
    ) -> None:
        self.store = EventStore(database.open_pool(urls.app, size=1, name="bench"))
        if long_session_id:
            self._next = [(long_session_id, count(played))]
        else:
            self._next = [
                (deal_workload.open_session(self.store), count()) for _ in range(EVENINGS)
            ]
        self._turns = cycle(self._next)
        self.first = self.play_deal()
        for _ in range(WARM):
            self.play_deal()

    def play_deal(self) -> float:
        """Play a deal. Return its milliseconds."""
        session_id, numbers = next(self._turns)
        began = time.perf_counter()
        deal_workload.play_deal(self.store, session_id, next(numbers))
        return (time.perf_counter() - began) * 1000

    def median(self, appends: int) -> float:
        return statistics.median(self.play_deal() for _ in range(appends))


def append_cost_by_size(context: BenchContext) -> Iterator[Measurement]:
    """Yield the rows of P6."""
    sizes, long_one = context.sizes, UUID(int=5000, version=4)
    with ExitStack() as stack:
        empty, big, long = (stack.enter_context(context.database()) for _ in range(3))
        events = large_ledger.fill_ledger(big, large_ledger.make_session_ids(sizes.many_events))
        long_events = large_ledger.fill_ledger(long, [long_one], sizes.long_evening_deals)
        players = {
            "empty": Player(empty),
            "book": Player(big),
            "evening": Player(long, long_one, sizes.long_evening_deals),
        }
        for player in players.values():
            stack.callback(player.store.pool.close)
        figures = run_in_turn(
            {name: partial(player.median, sizes.appends) for name, player in players.items()},
            sizes.repetitions,
            context.checkpoint,
        )
    notes = [f"{events:,} events; a deal an append, {EVENINGS} new evenings by turns"]
    yield compare_sides("P6 book", figures, "empty", "ms", notes, ours="book")
    notes = [
        f"{sizes.long_evening_deals:,} deals, {long_events:,} events; the first append of a "
        f"process, which folds them, took {players['evening'].first:,.0f} ms"
    ]
    yield compare_sides("P6 evening", figures, "empty", "ms", notes, ours="evening")
