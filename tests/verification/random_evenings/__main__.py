"""Play any number of random evenings of every game, at any options, and check the invariants.

    python -m tests.verification.random_evenings --evenings 100000 --seed 1 --workers 2

There are two kinds of evenings. In two of three, any legal action may come next, with undo,
misdeals, newcomers and late payments. In the third, a croupier deals real cards, and the same deals
are recorded at three depths. The run ends with a table of what was reached. If an invariant does
not hold, it prints the seed of that evening and the fewest actions found that still show the fault,
and exits with 1.
"""

from __future__ import annotations

import sys
import time

from tests.verification.command_parser import read_arguments
from tests.verification.random_evenings.reached_counts import (
    count_evenings,
    format_table,
    list_missing,
)
from tests.verification.random_evenings.run import run_sessions


def main() -> int:
    arguments = read_arguments("random_evenings", __doc__, evenings=(100_000, "random sessions"))
    started_at = time.monotonic()
    counts, fault = run_sessions(arguments.evenings, arguments.seed, arguments.workers)
    took = time.monotonic() - started_at
    print(format_table(counts))
    evenings = count_evenings(counts)
    print(f"{evenings} evenings in {took:.0f} s, {evenings / took:.0f} a second")
    print("never reached:", ", ".join(list_missing(counts)) or "nothing")
    if fault:
        print(fault)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
