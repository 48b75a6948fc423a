"""Faults at every effect of every command and job: a process dies, waits, or gets no answer.

    python -m tests.verification.chaos.boundaries [--only "a whole deal"] [--every 1]

First each command or job runs once without a fault: this counts its effects, and gives the result
that all other runs must have. Then it runs once for each effect and each mode of failure, in an
evening of its own; the phone repeats its request under the same key, the relay polls, and the book
is compared with that of the first run. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, get_args

from tests.support import interrupts
from tests.support.databases import copy_database, run_temporary_servers
from tests.verification.chaos.access_commands import COMMANDS
from tests.verification.chaos.fault_injection import Mode
from tests.verification.chaos.interrupted_run import REMEMBERED, InterruptibleRunner
from tests.verification.chaos.jobs import JOBS

MODES: tuple[Mode, ...] = get_args(Mode)
NAMES = (*COMMANDS, *REMEMBERED, *JOBS)
JOBS_WITHOUT_RIVAL = ("record a failure",)
"""No phone can write to the evening of this job, because the evening cannot be read."""


class Tally:
    """The cases of one command or job, and the findings."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.effects = Counter[str]()
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


@contextmanager
def open_runner() -> Iterator[InterruptibleRunner]:
    """Yield a runner on servers of its own."""
    with run_temporary_servers("boundaries") as embedded:
        urls = copy_database(embedded.postgres, "vola_boundaries")
        with InterruptibleRunner(urls, embedded.valkey.url) as runner:
            yield runner


def main() -> int:
    parser = argparse.ArgumentParser(prog="boundaries", description="Every boundary of everything.")
    parser.add_argument("--only", choices=NAMES, nargs="+", default=NAMES, help="these alone")
    parser.add_argument("--every", type=int, default=1, help="one case of so many (1: all)")
    arguments = parser.parse_args()
    interrupts.exit_on_sigterm()
    logging.disable(logging.CRITICAL)  # every injected fault would be logged
    tallies = []
    print(HEAD)
    with open_runner() as runner:
        for name in arguments.only:
            tallies.append(check_boundaries(runner, name, arguments.every))
            print(tallies[-1].line(), flush=True)
            for finding in tallies[-1].findings[:10]:
                print(f"  {finding}")
    faults = sum(len(tally.findings) for tally in tallies)
    print(
        f"{len(tallies)} commands and jobs, {sum(t.effects.total() for t in tallies)} effects, "
        f"{sum(t.cases for t in tallies)} cases, {faults} faults, "
        f"{sum(t.seconds for t in tallies):.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
