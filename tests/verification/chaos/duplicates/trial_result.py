"""The result of sending the same request or job many times at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class TrialResult:
    """The counts and faults of some trials or rounds."""

    name: str
    counted: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def line(self) -> str:
        counts = ", ".join(f"{n} {unit}" for unit, n in self.counted.items())
        return f"{self.name:10} {counts}, {len(self.faults)} faults, {self.seconds:.0f} s"
