"""The result of one row: a figure for each repetition, and its two sides."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.verification.bench.targets import PROMISED, Promise


@dataclass(kw_only=True)
class Measurement:
    """One row. The promise is about the `figures`; `ours` and `reference` are in `unit`."""

    name: str
    ours: list[float]
    reference: list[float]
    unit: str
    figures: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: str = ""  # why there is no figure

    def __post_init__(self) -> None:
        if not self.figures and not self.missing:
            sides = zip(self.ours, self.reference, strict=True)
            self.figures = [ours / reference for ours, reference in sides]

    @property
    def promise(self) -> Promise:
        return PROMISED[self.name]

    @property
    def figure(self) -> float:
        return statistics.median(self.figures)

    def meets(self, bound: float) -> bool:
        return not self.missing and self.promise.meets(self.figure, bound)

    @property
    def json(self) -> dict[str, Any]:
        return asdict(self)


def compare_sides(
    name: str,
    sides: Mapping[str, list[float]],
    reference: str,
    unit: str,
    notes: list[str],
    ours: str = "ours",
) -> Measurement:
    """Return a row in which one of the measured sides is compared with another."""
    return Measurement(
        name=name, ours=sides[ours], reference=sides[reference], unit=unit, notes=notes
    )


def make_absolute_row(name: str, figures: list[float], unit: str, notes: list[str]) -> Measurement:
    """Return a row that is compared with nothing."""
    return Measurement(
        name=name, ours=figures, reference=[], figures=figures, unit=unit, notes=notes
    )


def run_in_turn(
    sides: Mapping[str, Callable[[], float]],
    repetitions: int,
    before: Callable[[], object] = lambda: None,
) -> dict[str, list[float]]:
    """Measure the sides by turns (A B A B …), so that a disturbance of the machine affects all.

    Call `before` before each round."""
    figures: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repetitions):
        before()
        for name, side in sides.items():
            figures[name].append(side())
    return figures


def time_call(function: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def measure_rate(work: Callable[[], int]) -> float:
    """Return the amount of work per second; `work` does it and returns its amount."""
    began = time.perf_counter()
    amount = work()
    return amount / (time.perf_counter() - began)
