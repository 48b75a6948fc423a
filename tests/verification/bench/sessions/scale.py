"""Measure what an evening costs, and what grows (`make bench-scale`).

docs/scale.md has the figures. The command plays evenings over HTTP as phones do, one deal in each
request. Then it measures their disk space by table, the CPU and memory of each process, how rows
are updated, what viewers cost, and how long an append takes in partitioned tables and among very
many events and evenings. Clients, server and database share the machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import psycopg

from tests.support.api.socket_clients import run_and_close
from tests.verification.bench.appends.large_ledger_appends import compare_sizes
from tests.verification.bench.appends.partitions_and_standby import (
    append_to_partitions,
    standby_lag,
)
from tests.verification.bench.bench_context import BenchContext, open_bench_context
from tests.verification.bench.http.request_cost import serve_vola
from tests.verification.bench.http.viewers import listening_cost, polling_cost
from tests.verification.bench.sessions.resource_usage import (
    list_processes,
    memory_used,
    table_sizes,
)
from tests.verification.bench.sessions.session_cost import DEALS, measure_sessions, play_sessions
from tests.verification.bench.sizes import Sizes
from tests.verification.command_parser import command_parser

UPDATED = """
SELECT schemaname || '.' || relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_dead_tup
  FROM pg_stat_user_tables WHERE n_tup_upd > 0 ORDER BY n_tup_upd DESC
"""


def measure_session(context: BenchContext, evenings: int) -> Iterator[str]:
    """Yield disk space, CPU, memory and updates of evenings over HTTP; then the cost of viewers."""
    with context.database() as urls, serve_vola(context, urls) as server:
        run_and_close(play_sessions(server.url, 2))  # a warm-up
        began_with = table_sizes(urls)
        cost = measure_sessions(server, urls, evenings)
        with psycopg.connect(urls.super) as db:
            updated = db.execute(UPDATED).fetchall()
        room_after = table_sizes(urls)

        yield f"{evenings} evenings of {DEALS} deals, {cost.events / evenings:.0f} events each"
        grown = {
            name: (
                room_after[name][0] - began_with[name][0],
                room_after[name][1] - began_with[name][1],
            )
            for name in room_after
        }
        total_room = sum(map(sum, grown.values()))
        yield (
            f"room of one: {total_room / evenings / 1000:.1f} kB, "
            f"{total_room / cost.events:.0f} bytes an event; "
            f"write-ahead log {cost.log / evenings / 1000:.0f} kB"
        )
        for name, (own, indexes) in sorted(grown.items(), key=lambda item: -sum(item[1])):
            if own + indexes > 0:
                yield f"  {name:24} {own / evenings:9.0f} bytes, indexes {indexes / evenings:7.0f}"
        whole_cpu = cost.cpu.total()
        yield (
            f"CPU of one: {1000 * whole_cpu / evenings:.0f} ms, "
            f"{1000 * whole_cpu / evenings / DEALS:.2f} ms a deal; "
            f"{cost.seconds / evenings:.2f} s in all"
        )
        for kind, seconds in cost.cpu.items():
            yield f"  {kind:24} {1000 * seconds / evenings:9.1f} ms"
        yield "memory, each process:"
        for kind, megabytes in memory_used(list_processes(server, urls)).items():
            yield f"  {kind:24} {', '.join(f'{mb:.0f}' for mb in megabytes)} MB"
        yield "rows updated, of them in place (HOT), dead before a vacuum:"
        for name, inserted, changed, hot, dead in updated:
            share_hot = 100 * hot / changed
            yield f"  {name:24} {inserted} new, {changed}, {share_hot:.0f} %, {dead}"
        yield polling_cost(server, urls, cost.played)
        yield from listening_cost(server, urls, cost.played)


def main() -> int:
    parser = command_parser("bench.sessions.scale", __doc__)
    parser.add_argument("--evenings", type=int, default=100)
    parser.add_argument("--events", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--appends", type=int, default=200)
    arguments = parser.parse_args()
    with open_bench_context(Sizes()) as context:
        print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.2f}", flush=True)
        for line in measure_session(context, arguments.evenings):
            print(line, flush=True)
        print(append_to_partitions(context, arguments.appends), flush=True)
        for line in standby_lag(context, arguments.appends):
            print(line, flush=True)
        for line in compare_sizes(context, arguments.events, arguments.appends):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
