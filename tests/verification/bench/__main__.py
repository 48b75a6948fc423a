"""`python -m tests.bench [ROW …]`: how fast it is, each figure beside a reference of the same run.

Rows are P1 to P11; without any, all of them. Prints each when it is known, with its floor and aim
(✓ kept, – not), and puts everything down as JSON. `--write docs/performance.md` measures nothing:
it makes the page's table and picture from what was put down before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench import (
    appending,
    asking,
    conditions,
    deals,
    growing,
    page,
    peers,
    reading,
    settling,
    telling,
)
from tests.bench.measured import Measured
from tests.bench.place import Place, place
from tests.bench.sizes import SMOKE, Sizes
from tests.bench.table import text

ROWS: dict[str, Callable[[Place], Iterator[Measured]]] = {
    "P1": appending.one_event,
    "P2": appending.whole_deals,
    "P3": asking.many,
    "P4": asking.one,
    "P5": reading.rebuilt,
    "P6": growing.flat,
    "P7": settling.promptly,
    "P8": settling.drained_beside_bare,
    "P9": reading.verified,
    "P10": telling.told,
    "P11": peers.beside,
}
FILE = Path("bench-results/bench.json")


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    asked.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    asked.add_argument("--repetitions", type=int, help="of each side of each row")
    asked.add_argument("--smoke", action="store_true", help="that it runs: far too little to time")
    asked.add_argument("--json", type=Path, default=FILE, help=f"where figures are kept ({FILE})")
    asked.add_argument("--write", type=Path, metavar="PAGE", help="only make this page from them")
    given = asked.parse_args()
    if unknown := [row for row in given.rows if row not in ROWS]:
        asked.error(f"no such row: {', '.join(unknown)}")
    if given.write:
        page.written(page.read(given.json), given.write)
        return 0
    sizes = SMOKE if given.smoke else Sizes()
    if given.repetitions:
        sizes = replace(sizes, repetitions=given.repetitions)
    told = run(given.rows or list(ROWS), sizes, smoke=given.smoke)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0


def run(rows: list[str], sizes: Sizes, *, smoke: bool) -> dict[str, Any]:
    """Measure, and print on the way."""
    began, found, loads = time.monotonic(), list[Measured](), dict[str, float]()
    with place(sizes, smoke=smoke) as here:
        under = conditions.conditions(here)
        print("\n".join(conditions.lines(under)), flush=True)
        for row in rows:
            loads[row], since = os.getloadavg()[0], time.monotonic()
            for measured in ROWS[row](here):
                found.append(measured)
                print(f"\n{text([measured])}", flush=True)
            deals.forget()
            took = time.monotonic() - since
            print(f"{'':<11}load before {loads[row]:.2f}; took {took:.0f} s", flush=True)
    seconds = time.monotonic() - began
    print(f"\n{seconds:.0f} s")
    return {
        "conditions": under,
        "loads": loads,
        "seconds": round(seconds),
        "rows": [measured.json for measured in found],
    }


if __name__ == "__main__":
    sys.exit(main())
