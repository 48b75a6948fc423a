"""Another event store in Python on the same PostgreSQL (P11): the package `eventsourcing`.

It stores an aggregate's events and no more; Vola's append also hashes them, moves the head, writes
the projections and stores the reply. Needs requirements-bench.lock.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any
from uuid import UUID

from ledger.events import codec
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.verification.bench import deal_workload, parallel_workers
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import Measurement, measure_rate, run_in_turn

NAMES = ("P11 one", "P11 ten", "P11 get")
MISSING = "the package eventsourcing is not installed: make bench installs it"
DEALS = 400
TEN = 10


class VolaStore:
    """One client of Vola's store, which writes one evening after the other."""

    def __init__(self, url: str) -> None:
        self.store = EventStore(database.open_pool(url, size=1, name="bench"))
        self._facts: Iterator[Any] = iter(())
        self._session = UUID(int=0)
        self._place = 0

    def save(self, count: int) -> None:
        facts = tuple(islice(self._facts, count))
        if len(facts) < count:
            self._session = deal_workload.open_session(self.store)
            self._facts = iter(deal_workload.deal_events(DEALS)[1:])
            facts = tuple(islice(self._facts, count))
        self._place += 1
        deal_workload.append(self.store, self._session, f"save {self._place}", facts)

    def write_session(self, events: int) -> UUID:
        """Write an evening of `events` events. Return its id."""
        session_id = deal_workload.open_session(self.store)
        deal_workload.append(
            self.store, session_id, "all", deal_workload.deal_events(DEALS)[1:events]
        )
        return session_id

    def get(self, session_id: UUID) -> int:
        """Load an evening with nothing cached. Return its version."""
        codec.decode_cached.cache_clear()
        return EventStore(self.store.pool).load(session_id).version


def compare_with_eventsourcing(context: BenchContext) -> Iterator[Measurement]:
    """Yield the rows of P11."""
    sizes = context.sizes
    if importlib.util.find_spec("eventsourcing") is None:
        for name in NAMES:
            yield Measurement(name=name, ours=[], reference=[], unit="", missing=MISSING)
        return
    with ExitStack() as stack:
        ours_in, theirs_in = (stack.enter_context(context.database()) for _ in range(2))
        ours = VolaStore(ours_in.app)
        stack.callback(ours.store.pool.close)
        peer_module = importlib.import_module(
            "tests.verification.bench.appends.eventsourcing_store"
        )
        theirs = peer_module.EventsourcingStore(theirs_in.super)
        stack.callback(theirs.app.close)
        peers: dict[str, Any] = {"ours": ours, "theirs": theirs}
        parallel_workers.freeze_loaded_objects()
        for peer in peers.values():
            for _ in range(20):
                peer.save(1)
        sessions = {name: peer.write_session(sizes.loaded_events) for name, peer in peers.items()}

        def repeat(times: int, function: Callable[[], object]) -> int:
            for _ in range(times):
                function()
            return times

        def saving(events: int, times: int) -> dict[str, list[float]]:
            sides = {
                name: lambda peer=peer: measure_rate(
                    lambda: repeat(times, lambda: peer.save(events))
                )
                for name, peer in peers.items()
            }
            return run_in_turn(sides, sizes.repetitions, context.checkpoint)

        single, ten = saving(1, sizes.saves), saving(TEN, -(-sizes.saves // 3))

        def getting(name: str) -> float:
            assert peers[name].get(sessions[name]) == sizes.loaded_events
            readings = measure_rate(lambda: repeat(20, lambda: peers[name].get(sessions[name])))
            return sizes.loaded_events * readings

        get = run_in_turn({name: lambda n=name: getting(n) for name in peers}, sizes.repetitions)
    for name, rates, unit, note in (
        ("P11 one", single, "saves/s", "one connection each"),
        ("P11 ten", ten, "saves/s", "one connection each"),
        ("P11 get", get, "events/s", f"{sizes.loaded_events:,} events, nothing of them in memory"),
    ):
        yield Measurement(
            name=name, ours=rates["ours"], reference=rates["theirs"], unit=unit, notes=[note]
        )
