"""The cases of a command or job, each a fault at one of its effects, and their result.

First it runs once without a fault: this counts its effects, and gives the result that all other
runs must have. Then it runs once for each effect and each mode of failure, in an evening of its
own; the phone repeats its request under the same key, the relay polls, and the book is compared
with that of the first run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, get_args

from tests.verification.chaos.boundaries.fault_injection import Mode
from tests.verification.chaos.boundaries.interrupted_run import (
    COMMANDS,
    REMEMBERED,
    InterruptibleRunner,
)
from tests.verification.chaos.boundaries.jobs import JOBS

MODES: tuple[Mode, ...] = get_args(Mode)
NAMES = (*COMMANDS, *REMEMBERED, *JOBS)
JOBS_WITHOUT_RIVAL = ("record a failure",)
"""No phone can write to the evening of this job, because the evening cannot be read."""


class Tally:
    """The cases of one command or job, and the findings."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.effects: Counter[str] = Counter()
        self.cases = 0
        self.findings: list[str] = []
        self.seconds = 0.0

    def line(self) -> str:
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.effects.most_common())
        return (
            f"{self.name:30} {self.effects.total():4} {self.cases:6} {len(self.findings):6} "
            f"{self.seconds:7.1f}  {kinds}"
        )


HEAD = f"{'':30} {'n':>4} {'cases':>6} {'faults':>6} {'s':>7}  effects"


def cases(name: str, effects: int, every: int) -> Iterator[tuple[int, Mode]]:
    """Yield all cases, or one in `every`, and always at least one. If `every` has no common factor
    with the number of modes, each mode and each effect has its turn."""
    modes = [m for m in MODES if m != "waits for a rival" or name not in JOBS_WITHOUT_RIVAL]
    all_cases = [(at, mode) for at in range(1, effects + 1) for mode in modes]
    yield from all_cases[NAMES.index(name) % min(every, len(all_cases)) :: every]


def check_boundaries(runner: InterruptibleRunner, name: str, every: int = 1) -> Tally:
    """Compare each faulty run of a command or job with its run without a fault."""
    started_at, tally = time.monotonic(), Tally(name)
    expected = runner.do(name)
    tally.effects.update(expected.effects)
    tally.findings += expected.findings
    if "statement" not in expected.effects:
        tally.findings.append(f"{name}: no statement was counted, so that none can go wrong")
    for at, mode in cases(name, len(expected.effects), every):
        outcome = runner.do(name, at, mode)
        tally.cases += 1
        case = f"{name}: {mode} at {at} of {len(expected.effects)}, {expected.effects[at - 1]}"
        tally.findings += [f"{case}: {finding}" for finding in outcome.findings]
        if outcome.summary != expected.summary:
            tally.findings.append(
                f"{case}: {describe_difference(outcome.summary, expected.summary)}"
            )
    tally.seconds = time.monotonic() - started_at
    return tally


def describe_difference(actual: list[Any], expected: list[Any]) -> str:
    """Return a sentence about the first line that differs."""
    for actual_line, expected_line in zip_longest(actual, expected):
        if actual_line != expected_line:
            return f"{actual_line} and not {expected_line}"
    return "nothing"
