"""Every boundary of every command and job: a process dies there, or waits, or is not answered.

    python -m tests.verification.chaos.boundaries [--only "a whole deal"] [--every 1]

First each is done once with nothing going wrong: that counts its effects, and is what all other
times must come to. Then, for each effect and each way of ending, once more in an evening of its
own; the phone asks again under its key, the relay looks, and the book is held against the first
time. Exit code 1 when anything differs.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, get_args

from tests.support import interrupts as ending
from tests.support.databases import copy_database, run_embedded_servers
from tests.verification.chaos.access_commands import COMMANDS
from tests.verification.chaos.fault_injection import Mode
from tests.verification.chaos.interrupted_run import REMEMBERED, Once
from tests.verification.chaos.jobs import JOBS

MODES: tuple[Mode, ...] = get_args(Mode)
NAMES = (*COMMANDS, *REMEMBERED, *JOBS)


class Tally:
    """What was done to one command or job, and what was found."""

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
    """All of them, or every so many: with a number that does not divide the modes, each mode and
    each effect has its turn."""
    modes = MODES if name != "note what sticks" else MODES[:-1]  # a phone cannot write there
    everything = [(at, mode) for at in range(1, effects + 1) for mode in modes]
    yield from everything[NAMES.index(name) % every :: every]


def hold(once: Once, name: str, every: int = 1) -> Tally:
    """Hold one command or job against itself."""
    begun, tally = time.monotonic(), Tally(name)
    expected = once.do(name)
    tally.effects.update(expected.effects)
    tally.findings += expected.findings
    if "statement" not in expected.effects:
        tally.findings.append(f"{name}: no statement was counted, so that none can go wrong")
    for at, mode in cases(name, len(expected.effects), every):
        done = once.do(name, at, mode)
        tally.cases += 1
        where = f"{name}: {mode} at {at} of {len(expected.effects)}, {expected.effects[at - 1]}"
        tally.findings += [f"{where}: {said}" for said in done.findings]
        if done.summary != expected.summary:
            tally.findings.append(f"{where}: {difference(done.summary, expected.summary)}")
    tally.seconds = time.monotonic() - begun
    return tally


def difference(told: list[Any], expected: list[Any]) -> str:
    """The first thing that is not as it was the first time."""
    for is_now, was in zip_longest(told, expected):
        if is_now != was:
            return f"{is_now} and not {was}"
    return "nothing"


@contextmanager
def place() -> Iterator[Once]:
    """Servers of its own, for as long as this lasts."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vola-boundaries-")))
        embedded = stack.enter_context(run_embedded_servers(folder))
        urls = copy_database(embedded.postgres, "vola_boundaries")
        yield stack.enter_context(Once(urls, embedded.valkey.url))


def main() -> int:
    parser = argparse.ArgumentParser(prog="boundaries", description="Every boundary of everything.")
    parser.add_argument("--only", choices=NAMES, nargs="+", default=NAMES, help="these alone")
    parser.add_argument("--every", type=int, default=1, help="one case of so many (1: all)")
    arguments = parser.parse_args()
    ending.tidily()
    logging.disable(logging.CRITICAL)  # what is struck says so, again and again
    tallies = []
    print(HEAD)
    with place() as once:
        for name in arguments.only:
            tallies.append(hold(once, name, arguments.every))
            print(tallies[-1].line(), flush=True)
            for found in tallies[-1].findings[:10]:
                print(f"  {found}")
    faults = sum(len(tally.findings) for tally in tallies)
    print(
        f"{len(tallies)} commands and jobs, {sum(t.effects.total() for t in tallies)} effects, "
        f"{sum(t.cases for t in tallies)} cases, {faults} faults, "
        f"{sum(t.seconds for t in tallies):.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
