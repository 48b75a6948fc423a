"""The faults of a run, drawn at random one after the other, and the requests that each one met.

The same seed draws the same faults in the same order. Which requests are in flight at a fault
depends on timing, and is recorded.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.faults import FAULTS, WEIGHTS, FaultContext
from tests.verification.chaos.proxy import Proxy
from tests.verification.chaos.run_context import InFlight

IDLE = "nothing"


@dataclass
class Nemesis:
    """Causes faults until `max_faults` are injected or `stop` is set."""

    server: SupervisedServer
    proxy: Proxy
    in_flight: InFlight
    seed: str
    max_faults: int
    kinds: tuple[str, ...]
    pace: float  # mean seconds between two faults
    injected: Counter[str] = field(default_factory=Counter)
    operations_met: Counter[tuple[str, str]] = field(
        default_factory=Counter
    )  # by kind and operation

    def run(self, stop: threading.Event) -> None:
        die = Random(f"{self.seed}-nemesis")
        weights = [WEIGHTS[name] for name in self.kinds]
        order = list(self.kinds)
        die.shuffle(order)  # each kind once, and then by weight
        context = FaultContext(server=self.server, proxy=self.proxy, die=die)
        while not stop.is_set() and sum(self.injected.values()) < self.max_faults:
            name = order.pop() if order else die.choices(self.kinds, weights)[0]
            if not self._inject(name, context):
                order.insert(0, name)  # there was nothing to hit: try it again later
            stop.wait(die.expovariate(1 / self.pace))

    def _inject(self, name: str, context: FaultContext) -> bool:
        token = self.in_flight.begin_fault(name)
        in_flight = self.in_flight.snapshot()
        try:
            hit = FAULTS[name](context)
        finally:
            self.in_flight.end_fault(token)
        if hit is None:
            return False
        self.injected[name] += 1
        for operation in in_flight or (IDLE,):
            self.operations_met[name, operation] += 1
        return True

    def met_a_request(self, name: str) -> bool:
        """Return whether this kind was injected while a request was in flight."""
        return any(kind == name and operation != IDLE for kind, operation in self.operations_met)

    def headline(self) -> str:
        return f"{sum(self.injected.values())} faults of {len(self.injected)} kinds"

    def table(self) -> str:
        """Return how often each kind was injected, and during which operations."""
        operations = [*sorted({operation for _, operation in self.operations_met} - {IDLE}), IDLE]
        lines = ["fault".ljust(18) + "injected".rjust(8) + "".join(a.rjust(13) for a in operations)]
        for name in sorted(self.kinds):
            counts = "".join(
                str(self.operations_met[name, operation]).rjust(13) for operation in operations
            )
            lines.append(name.ljust(18) + str(self.injected[name]).rjust(8) + counts)
        return "\n".join(lines)
