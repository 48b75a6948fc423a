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
from tests.verification.chaos.faults import KINDS, WEIGHTS, Scene
from tests.verification.chaos.phones import Flights
from tests.verification.chaos.proxy import Proxy

NOTHING = "nothing"


@dataclass
class Nemesis:
    """Strikes again and again until it has struck often enough, or is told to stop."""

    server: SupervisedServer
    proxy: Proxy
    flights: Flights
    seed: str
    wanted: int
    kinds: tuple[str, ...]
    pace: float  # seconds between two faults, in the mean
    struck: Counter[str] = field(default_factory=Counter)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and what was asked
    missed: Counter[str] = field(default_factory=Counter)

    def run(self, stop: threading.Event) -> None:
        die = Random(f"{self.seed}-nemesis")
        weights = [WEIGHTS[name] for name in self.kinds]
        order = list(self.kinds)
        die.shuffle(order)  # each kind once, and then by weight
        scene = Scene(server=self.server, proxy=self.proxy, die=die)
        while not stop.is_set() and sum(self.struck.values()) < self.wanted:
            name = order.pop() if order else die.choices(self.kinds, weights)[0]
            if not self._strike(name, scene):
                order.insert(0, name)  # there was nothing to hit: later, then
            stop.wait(die.expovariate(1 / self.pace))

    def _strike(self, name: str, scene: Scene) -> bool:
        token = self.flights.fault(name)
        before = self.flights.now()
        try:
            hit = KINDS[name](scene)
        finally:
            self.flights.over(token)
        if hit is None:
            self.missed[name] += 1
            return False
        self.struck[name] += 1
        for what in before or (NOTHING,):
            self.met[name, what] += 1
        return True

    def met_something(self, name: str) -> bool:
        """Whether this kind struck while something was being asked."""
        return any(kind == name and what != NOTHING for kind, what in self.met)

    def table(self) -> str:
        """How often each kind struck, and while what was being asked."""
        asked = [*sorted({what for _, what in self.met} - {NOTHING}), NOTHING]
        lines = ["fault".ljust(18) + "struck".rjust(8) + "".join(a.rjust(10) for a in asked)]
        for name in sorted(self.kinds):
            counts = "".join(str(self.met[name, what]).rjust(10) for what in asked)
            lines.append(name.ljust(18) + str(self.struck[name]).rjust(8) + counts)
        return "\n".join(lines)
