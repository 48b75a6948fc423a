"""What an evening costs, and what grows: `python -m tests.verification.bench.scale`, as
docs/scale.md tells it.

Evenings are played over HTTP as phones do it, a deal a request; then the room they take is measured
by table, the CPU by process, the memory of each, how rows are updated, what phones that look on
cost, and how long an append takes in tables that are cut into parts, and among very many events and
evenings. Everything shares the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import psycopg

from tests.support.api.socket_clients import Line, meet, open_evening
from tests.support.databases import DatabaseUrls
from tests.verification.bench.bench_context import BenchContext, open_bench_context
from tests.verification.bench.large_ledger_appends import compare_sizes
from tests.verification.bench.partitions_and_standby import append_to_partitions, standby_lag
from tests.verification.bench.request_cost import vola
from tests.verification.bench.resource_usage import cpu_used, memory_used, processes, room, spent
from tests.verification.bench.sizes import Sizes
from tests.verification.bench.viewers import asking, listening

DEALS = 40
LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
EVENTS = "SELECT count(*) FROM vola.events"
UPDATED = """
SELECT schemaname || '.' || relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_dead_tup
  FROM pg_stat_user_tables WHERE n_tup_upd > 0 ORDER BY n_tup_upd DESC
"""


def deal(number: int) -> dict[str, Any]:
    """An ordinary deal of Polskt pass; every tenth is la vola."""
    declarer = f"p{1 + number % 4}"
    opponent = f"p{1 + (number + 1 + number % 3) % 4}"
    actions: list[dict[str, Any]] = [
        {"type": "open_deal", "number": number},
        {"type": "declare", "players": [declarer]},
    ]
    if number % 10 == 0:
        won = {"player": declarer, "won": True}
        actions.append({"type": "result", "la_vola": won})
        return {"actions": actions}
    winners = [declarer, opponent, opponent, declarer, opponent if number % 3 else declarer]
    return {"actions": actions + [{"type": "trick", "winner": winner} for winner in winners]}


async def play(url: str, evenings: int) -> list[tuple[str, str]]:
    """Paths and tokens of evenings that were played, one after the other."""
    line, played = await Line.connect(url), list[tuple[str, str]]()
    for _ in range(evenings):
        path, token = await open_evening(line)
        for number in range(1, DEALS + 1):
            reply = await line.ask("POST", f"{path}/actions", deal(number), token=token)
            assert reply.status == 201, reply
        played.append((path, token))
    await line.close()
    return played


def query_int(urls: DatabaseUrls, question: str) -> int:
    with psycopg.connect(urls.super) as db:
        row = db.execute(question).fetchone()
        assert row is not None
        return int(row[0])


def evening(context: BenchContext, evenings: int) -> Iterator[str]:
    """Room, CPU, memory and updates of evenings over HTTP; then phones that look on."""
    with context.database() as urls, vola(context, urls) as server:
        meet(play(server.url, 2))  # everything has been used once
        began_with, logged, events = room(urls), query_int(urls, LOG), query_int(urls, EVENTS)
        before, began = spent(processes(server, urls)), time.perf_counter()
        played = meet(play(server.url, evenings))
        took = time.perf_counter() - began
        of = processes(server, urls)
        cpu = cpu_used(before, spent(of))
        logged, events = query_int(urls, LOG) - logged, query_int(urls, EVENTS) - events
        with psycopg.connect(urls.super) as db:
            updated = db.execute(UPDATED).fetchall()
        room_after = room(urls)

        yield f"{evenings} evenings of {DEALS} deals, {events / evenings:.0f} events each"
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
            f"{total_room / events:.0f} bytes an event; "
            f"write-ahead log {logged / evenings / 1000:.0f} kB"
        )
        for name, (own, indexes) in sorted(grown.items(), key=lambda item: -sum(item[1])):
            if own + indexes > 0:
                yield f"  {name:24} {own / evenings:9.0f} bytes, indexes {indexes / evenings:7.0f}"
        whole_cpu = sum(cpu.values())
        yield (
            f"CPU of one: {1000 * whole_cpu / evenings:.0f} ms, "
            f"{1000 * whole_cpu / evenings / DEALS:.2f} ms a deal; {took / evenings:.2f} s in all"
        )
        for kind, seconds in cpu.items():
            yield f"  {kind:24} {1000 * seconds / evenings:9.1f} ms"
        yield "memory, each process:"
        for kind, megabytes in memory_used(of).items():
            yield f"  {kind:24} {', '.join(f'{mb:.0f}' for mb in megabytes)} MB"
        yield "rows updated, of them in place (HOT), dead before a vacuum:"
        for name, inserted, changed, hot, dead in updated:
            share_hot = 100 * hot / changed
            yield f"  {name:24} {inserted} new, {changed}, {share_hot:.0f} %, {dead}"
        yield asking(server, urls, played)
        yield from listening(server, urls, played)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.verification.bench.scale", description=__doc__
    )
    parser.add_argument("--evenings", type=int, default=100)
    parser.add_argument("--events", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--appends", type=int, default=200)
    arguments = parser.parse_args()
    with open_bench_context(Sizes()) as context:
        print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.2f}", flush=True)
        for line in evening(context, arguments.evenings):
            print(line, flush=True)
        print(append_to_partitions(context, arguments.appends), flush=True)
        for line in standby_lag(context, arguments.appends):
            print(line, flush=True)
        for line in compare_sizes(context, arguments.events, arguments.appends):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
