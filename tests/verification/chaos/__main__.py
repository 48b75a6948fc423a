"""`make chaos`: so many faults, and the verdict. A seed plays the same faults again."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from secrets import token_hex

from tests import ending
from tests.chaos.planted import BUGS
from tests.chaos.run import run


def planted(folder: Path, seed: str) -> int:
    """Each bug in a house of its own; it must be seen within a minute."""
    missed = 0
    for name, bug in BUGS.items():
        result = run(
            folder / name,
            seed,
            faults=1000,
            phones=8,
            seconds=25,
            kinds=bug.faults,
            planted=name,
            pace=bug.pace,
        )
        found = {column: len(all_) for column, all_ in result.findings.items() if all_}
        caught = bool(found.keys() & set(bug.columns))
        missed += not caught
        verdict = "caught" if caught else "MISSED"
        actions = result.counted["actions"]
        print(f"{name:30} {verdict} after {actions} actions: {found}", flush=True)
    print(f"{len(BUGS) - missed} of {len(BUGS)} planted bugs caught")
    return 1 if missed else 0


def main() -> int:
    asked = argparse.ArgumentParser(prog="chaos", description=__doc__)
    asked.add_argument("--faults", type=int, default=10_000)
    asked.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    asked.add_argument("--phones", type=int, default=12)
    asked.add_argument("--seed", default="")
    asked.add_argument("--keep", type=Path, help="a folder for the history and the house")
    asked.add_argument("--planted", action="store_true", help="each planted bug must be found")
    given = asked.parse_args()
    ending.tidily()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="vola-chaos-"))
    seed = given.seed or token_hex(4)
    print(f"seed {seed}, history in {folder}", flush=True)
    if given.planted:
        return planted(folder, seed)
    result = run(
        folder,
        seed,
        faults=given.faults,
        phones=given.phones,
        seconds=given.seconds,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(result.table())
    return 0 if result.good else 1


if __name__ == "__main__":
    sys.exit(main())
