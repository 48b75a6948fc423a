"""Faults at every effect of every command and job: a process dies, waits, or gets no answer.

    python -m tests.verification.chaos.boundaries [--only "a whole deal"] [--every 1]

Exit code 1 if a run with a fault leaves anything else than the run without.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support import interrupts
from tests.support.databases import copy_database, run_temporary_servers
from tests.verification.chaos.boundaries.boundary_cases import HEAD, NAMES, check_boundaries
from tests.verification.chaos.boundaries.interrupted_run import InterruptibleRunner
from tests.verification.command_parser import command_parser


@contextmanager
def open_runner() -> Iterator[InterruptibleRunner]:
    """Yield a runner on servers of its own."""
    with run_temporary_servers("boundaries") as embedded:
        urls = copy_database(embedded.postgres, "vola_boundaries")
        with InterruptibleRunner(urls, embedded.valkey.url) as runner:
            yield runner


def main() -> int:
    parser = command_parser("chaos.boundaries", __doc__)
    parser.add_argument(
        "--only", choices=NAMES, nargs="+", default=NAMES, metavar="NAME", help="these alone"
    )
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
