"""`make chaos-ha`: leaders fall while phones keep score, and the verdict.

A seed strikes the same blows again. With `--blows 1` the leader's machine is gone once. With
`--careless --only cut_off_and_gone` the cluster acknowledges what one machine alone has, and the
verdict must be that something is lost: so it is known that the checkers would see it.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path
from secrets import token_hex

from tests import ending
from tests.chaos.ha.nemesis import BLOWS
from tests.chaos.ha.programs import missing
from tests.chaos.ha.run import run


def main() -> int:
    asked = argparse.ArgumentParser(prog="chaos-ha", description=__doc__)
    asked.add_argument("--blows", type=int, default=20)
    asked.add_argument("--phones", type=int, default=8)
    asked.add_argument("--seed", default="")
    asked.add_argument("--only", action="append", default=[], choices=list(BLOWS))
    asked.add_argument("--careless", action="store_true", help="without synchronous standbys")
    asked.add_argument("--keep", type=Path, help="a folder for the history and the cluster")
    given = asked.parse_args()
    ending.tidily()
    if lacking := missing():
        print(f"not installed: {', '.join(lacking)}; `make chaos-ha` does it", file=sys.stderr)
        return 2
    folder = given.keep or Path(tempfile.mkdtemp(prefix="vola-ha-"))
    seed = given.seed or token_hex(4)
    print(f"seed {seed}, everything in {folder}", flush=True)
    result = run(
        folder,
        seed,
        blows=given.blows,
        phones=given.phones,
        only=tuple(given.only),
        careless=given.careless,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    load = "/".join(f"{one:.0f}" for one in os.getloadavg())
    print(result.table())
    print(f"{os.cpu_count()} cores for everything, {platform.machine()}, load {load}")
    held = bool(result.findings["lost"]) if given.careless else result.good
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
