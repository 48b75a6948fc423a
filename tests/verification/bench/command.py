"""Measure Vola's speed, most figures against a reference of the same run.

`python -m tests.verification.bench [ROW …]` measures the given rows of P1 to P15; without any, all
of them. It prints each row when it is known, with its floor and aim (✓ met, – not), and saves
everything as JSON. `--write docs/performance.md` measures nothing: it makes the page's table and
chart from the saved figures.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.verification.bench import deal_workload, environment
from tests.verification.bench.appends import appending, eventsourcing_comparison, growth
from tests.verification.bench.bench_context import BenchContext, open_bench_context
from tests.verification.bench.history import replay, statement_csv
from tests.verification.bench.http import excess_load, long_requests, request_cost
from tests.verification.bench.measurement import Measurement
from tests.verification.bench.results import results_page
from tests.verification.bench.results.results_table import format_text
from tests.verification.bench.sessions import session_cost, settlement
from tests.verification.bench.sizes import SMOKE, Sizes
from tests.verification.command_parser import command_parser

ROWS: dict[str, Callable[[BenchContext], Iterator[Measurement]]] = {
    "P1": appending.measure_events,
    "P2": appending.measure_deals,
    "P3": request_cost.request_cost,
    "P4": request_cost.request_cost,
    "P5": replay.rebuild_rate,
    "P6": growth.append_cost_by_size,
    "P7": settlement.settlement_latency,
    "P8": settlement.settlement_throughput,
    "P9": replay.verification_rate,
    "P10": statement_csv.statement_cost,
    "P11": eventsourcing_comparison.compare_with_eventsourcing,
    "P12": session_cost.session_cost,
    "P13": session_cost.session_cost,
    "P14": long_requests.latency_beside_pdfs,
    "P15": excess_load.measure_excess,
}
FILE = Path("bench-results/bench.json")


def main() -> int:
    parser = command_parser("bench", __doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--repetitions", type=int, help="of each side of each row")
    parser.add_argument("--smoke", action="store_true", help="that it runs: far too little to time")
    parser.add_argument("--json", type=Path, default=FILE, help=f"where figures are kept ({FILE})")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="only make this page from them")
    arguments = parser.parse_args()
    if unknown := [row for row in arguments.rows if row not in ROWS]:
        parser.error(f"no such row: {', '.join(unknown)}")
    if arguments.write:
        results_page.write_page(results_page.read_results(arguments.json), arguments.write)
        return 0
    sizes = SMOKE if arguments.smoke else Sizes()
    if arguments.repetitions:
        sizes = replace(sizes, repetitions=arguments.repetitions)
    result = run(arguments.rows or list(ROWS), sizes, smoke=arguments.smoke)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0


def run(rows: list[str], sizes: Sizes, *, smoke: bool) -> dict[str, Any]:
    """Measure these rows, and print each when it is known. Return all results and conditions."""
    began = time.monotonic()
    results: list[Measurement] = []
    loads: dict[str, float] = {}
    measures = {ROWS[row]: row for row in reversed(rows)}  # a function may measure several rows
    with open_bench_context(sizes, smoke=smoke) as context:
        conditions = environment.describe_conditions(context)
        print("\n".join(environment.table_lines(conditions)), flush=True)
        for measure, row in reversed(measures.items()):
            loads[row], since = os.getloadavg()[0], time.monotonic()
            for measured in measure(context):
                results.append(measured)
                print(f"\n{format_text([measured])}", flush=True)
            deal_workload.clear_caches()
            took = time.monotonic() - since
            print(f"{'':<11}load before {loads[row]:.2f}; took {took:.0f} s", flush=True)
    seconds = time.monotonic() - began
    print(f"\n{seconds:.0f} s")
    return {
        "conditions": conditions,
        "loads": loads,
        "seconds": round(seconds),
        "rows": [measured.json for measured in results],
    }
