"""Whoever wishes the house ill: one fault after the other, chosen by a die, and what each one met.

The same seed chooses the same faults in the same order; what is in the air when one strikes is for
the moment to say, and is written down.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.faults import KINDS, WEIGHTS, FaultContext
from tests.verification.chaos.phones import InFlight
from tests.verification.chaos.proxy import Proxy

IDLE = "nothing"


@dataclass
class Nemesis:
    """Strikes again and again until it has struck often enough, or is told to stop."""

    server: SupervisedServer
    proxy: Proxy
    in_flight: InFlight
    seed: str
    max_faults: int
    kinds: tuple[str, ...]
    pace: float  # seconds between two faults, in the mean
    struck: Counter[str] = field(default_factory=Counter)
    operations_met: Counter[tuple[str, str]] = field(
        default_factory=Counter
    )  # by kind and what was asked
    missed: Counter[str] = field(default_factory=Counter)

    def run(self, stop: threading.Event) -> None:
        die = Random(f"{self.seed}-nemesis")
        weights = [WEIGHTS[name] for name in self.kinds]
        order = list(self.kinds)
        die.shuffle(order)  # each kind once, and then by weight
        scenario = FaultContext(server=self.server, proxy=self.proxy, die=die)
        while not stop.is_set() and sum(self.struck.values()) < self.max_faults:
            name = order.pop() if order else die.choices(self.kinds, weights)[0]
            if not self._strike(name, scenario):
                order.insert(0, name)  # there was nothing to hit: later, then
            stop.wait(die.expovariate(1 / self.pace))

    def _strike(self, name: str, scenario: FaultContext) -> bool:
        token = self.in_flight.begin_fault(name)
        in_flight = self.in_flight.snapshot()
        try:
            hit = KINDS[name](scenario)
        finally:
            self.in_flight.end_fault(token)
        if hit is None:
            self.missed[name] += 1
            return False
        self.struck[name] += 1
        for operation in in_flight or (IDLE,):
            self.operations_met[name, operation] += 1
        return True

    def met_a_request(self, name: str) -> bool:
        """Whether this kind struck while something was being asked."""
        return any(kind == name and operation != IDLE for kind, operation in self.operations_met)

    def headline(self) -> str:
        return f"{sum(self.struck.values())} faults of {len(self.struck)} kinds"

    def table(self) -> str:
        """How often each kind struck, and while what was being asked."""
        operations = [*sorted({operation for _, operation in self.operations_met} - {IDLE}), IDLE]
        lines = ["fault".ljust(18) + "struck".rjust(8) + "".join(a.rjust(13) for a in operations)]
        for name in sorted(self.kinds):
            counts = "".join(
                str(self.operations_met[name, operation]).rjust(13) for operation in operations
            )
            lines.append(name.ljust(18) + str(self.struck[name]).rjust(8) + counts)
        return "\n".join(lines)
