"""`make chaos`: so many faults, and the verdict. A seed plays the same faults again."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from secrets import token_hex

from tests.chaos.run import run


def main() -> int:
    asked = argparse.ArgumentParser(prog="chaos", description=__doc__)
    asked.add_argument("--faults", type=int, default=10_000)
    asked.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    asked.add_argument("--phones", type=int, default=12)
    asked.add_argument("--seed", default="")
    asked.add_argument("--keep", type=Path, help="a folder for the history and the house")
    given = asked.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="vola-chaos-"))
    seed = given.seed or token_hex(4)
    print(f"seed {seed}, history in {folder}", flush=True)
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
