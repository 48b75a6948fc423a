"""Fuzzing of the whole API contract: every operation, with every check of Schemathesis.

    python -m tests.verification.fuzz --requests 100000 --seed 1 --workers 2

Each worker has a database of its own, filled with evenings of every game in many states, and calls
the app in its process; one more share goes over HTTP to a real server. The requests, the answers
allowed, and the links between operations come from openapi.yaml. The command prints requests by
operation and status, checks, links, every fault with a request that shows it, the seed and the
time. The exit code is 1 if there is a fault, or if there were too few requests.
"""

from __future__ import annotations

import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import migrations
from tests.support.databases import copy_database
from tests.support.postgresql.cluster import postgres
from tests.verification.command_parser import command_parser
from tests.verification.fuzz.fuzz_report import FuzzReport
from tests.verification.fuzz.worker_share import fuzz_in_process, fuzz_over_http


def main() -> int:
    parser = command_parser("fuzz", __doc__)
    parser.add_argument("--requests", type=int, default=100_000, help="at least so many (100000)")
    parser.add_argument("--served", type=int, default=5000, help="of them over HTTP (5000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then it is enough")
    parser.add_argument("--examples", type=int, default=30, help="an operation and round (30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    started_at, workers = time.monotonic(), arguments.workers
    requests = -(-(arguments.requests - arguments.served) // workers)
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as cluster:
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        urls = [copy_database(cluster, f"vola_fuzzed_{n}") for n in range(workers + 1)]
        limits = (arguments.examples, arguments.seconds)
        shares = [(urls[n], arguments.seed + 1000 * n, requests, *limits) for n in range(workers)]
        with get_context("spawn").Pool(workers) as pool:
            report = sum(pool.starmap(fuzz_in_process, shares), FuzzReport())
        if arguments.served:
            report += fuzz_over_http(urls[workers], Path(folder), arguments.seed, arguments.served)
    print(report.format_table())
    print(f"\n{report.total} requests, {report.failed.total()} failures, seed {arguments.seed},")
    print(f"{arguments.workers} workers, {time.monotonic() - started_at:.0f} s")
    return 0 if report.has_no_fault and report.total >= arguments.requests else 1


if __name__ == "__main__":
    sys.exit(main())
