"""What an evening costs, and what grows: `python -m tests.bench.scale`, as docs/scale.md tells it.

Evenings are played over HTTP as phones do it, a deal a request; then the room they take is measured
by table, the CPU by process, the memory of each, how rows are updated, what phones that look on
cost, and whether an append still takes as long among very many events. Everything shares the
machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import psutil
import psycopg

from tests.bench import volume
from tests.bench.asking import vola
from tests.bench.flood import flood
from tests.bench.growing import Player
from tests.bench.place import Place, place
from tests.bench.sizes import Sizes
from tests.conftest import Server, Urls
from tests.crowd import Line, meet, open_evening, request, share

DEALS = 40
ROOM = """
SELECT n.nspname || '.' || c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('vola', 'projections') AND c.relkind = 'r'
"""
LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
EVENTS = "SELECT count(*) FROM vola.events"
UPDATED = """
SELECT schemaname || '.' || relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_dead_tup
  FROM pg_stat_user_tables WHERE n_tup_upd > 0 ORDER BY n_tup_upd DESC
"""
SERVING = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
DRAWN = "VACUUM (ANALYZE)"


def deal(number: int) -> dict[str, Any]:
    """An ordinary deal of Polskt pass; every tenth is la vola."""
    declarer = f"p{1 + number % 4}"
    other = f"p{1 + (number + 1 + number % 3) % 4}"
    actions: list[dict[str, Any]] = [
        {"type": "open_deal", "number": number},
        {"type": "declare", "players": [declarer]},
    ]
    if number % 10 == 0:
        won = {"player": declarer, "won": True}
        actions.append({"type": "result", "la_vola": won})
        return {"actions": actions}
    winners = [declarer, other, other, declarer, other if number % 3 else declarer]
    return {"actions": actions + [{"type": "trick", "winner": one} for one in winners]}


async def play(url: str, evenings: int) -> list[tuple[str, str]]:
    """Paths and tokens of evenings that were played, one after the other."""
    line, played = await Line.to(url), list[tuple[str, str]]()
    for _ in range(evenings):
        here, token = await open_evening(line)
        for number in range(1, DEALS + 1):
            said = await line.ask("POST", f"{here}/actions", deal(number), token=token)
            assert said.status == 201, said
        played.append((here, token))
    await line.close()
    return played


def room(urls: Urls) -> dict[str, tuple[int, int]]:
    """Bytes of each table, and of its indexes."""
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(DRAWN)
        return {name: (own, indexes) for name, own, indexes in db.execute(ROOM)}


def one(urls: Urls, question: str) -> int:
    with psycopg.connect(urls.super) as db:
        row = db.execute(question).fetchone()
        assert row is not None
        return int(row[0])


def processes(server: Server, urls: Urls) -> dict[str, list[psutil.Process]]:
    """Of this server, by what they do."""
    assert server.process is not None
    master = psutil.Process(server.process.pid)
    found: dict[str, list[psutil.Process]] = {"api master": [master]}
    for child in master.children(recursive=True):
        said = " ".join(child.cmdline())
        kind = "worker" if " worker" in said else "relay" if " relay" in said else "api"
        found.setdefault(kind, []).append(child)
    with psycopg.connect(urls.super) as db:
        pids = [pid for (pid,) in db.execute(SERVING) if pid != db.info.backend_pid]
    found["PostgreSQL, for it"] = [psutil.Process(pid) for pid in pids]
    return found


def spent(of: dict[str, list[psutil.Process]]) -> dict[tuple[str, int], float]:
    """CPU seconds so far of each process."""
    return {(kind, p.pid): sum(p.cpu_times()[:2]) for kind, all_ in of.items() for p in all_}


def since(before: dict[tuple[str, int], float], now: dict[tuple[str, int], float]) -> Counter[str]:
    """CPU seconds by kind; who is new has begun at nothing."""
    used = Counter[str]()
    for (kind, pid), seconds in now.items():
        used[kind] += seconds - before.get((kind, pid), 0)
    return used


def held(of: dict[str, list[psutil.Process]]) -> dict[str, list[float]]:
    """Megabytes of each process that it shares with no other, and its part of what it shares."""
    return {
        kind: [p.memory_full_info().pss / 1e6 for p in all_ if p.is_running()]
        for kind, all_ in of.items()
    }


def evening(place: Place, evenings: int) -> Iterator[str]:
    """Room, CPU, memory and updates of evenings over HTTP; then phones that look on."""
    with place.book() as urls, vola(place, urls) as server:
        meet(play(server.url, 2))  # everything has been used once
        began_with, logged, events = room(urls), one(urls, LOG), one(urls, EVENTS)
        before, began = spent(processes(server, urls)), time.perf_counter()
        played = meet(play(server.url, evenings))
        took = time.perf_counter() - began
        of = processes(server, urls)
        cpu = since(before, spent(of))
        logged, events = one(urls, LOG) - logged, one(urls, EVENTS) - events
        with psycopg.connect(urls.super) as db:
            updated = db.execute(UPDATED).fetchall()
        takes = room(urls)

        yield f"{evenings} evenings of {DEALS} deals, {events / evenings:.0f} events each"
        grown = {
            name: (takes[name][0] - began_with[name][0], takes[name][1] - began_with[name][1])
            for name in takes
        }
        whole = sum(map(sum, grown.values()))
        yield (
            f"room of one: {whole / evenings / 1000:.1f} kB, {whole / events:.0f} bytes an event; "
            f"write-ahead log {logged / evenings / 1000:.0f} kB"
        )
        for name, (own, indexes) in sorted(grown.items(), key=lambda it: -sum(it[1])):
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
        for kind, megabytes in held(of).items():
            yield f"  {kind:24} {', '.join(f'{mb:.0f}' for mb in megabytes)} MB"
        yield "rows updated, of them in place (HOT), dead before a vacuum:"
        for name, inserted, changed, hot, dead in updated:
            share_hot = 100 * hot / changed
            yield f"  {name:24} {inserted} new, {changed}, {share_hot:.0f} %, {dead}"
        yield from looking_on(server, of, played)


def looking_on(
    server: Server, of: dict[str, list[psutil.Process]], played: list[tuple[str, str]]
) -> Iterator[str]:
    """500 phones, each asking every three seconds for an evening that has not moved on."""
    phones, every, seconds = 500, 3, 12
    version = meet(version_of(server.url, *played[0]))
    ask = [
        request("GET", here, headers={"If-None-Match": version}, token=token)
        for here, token in played[: min(20, len(played))]
    ]
    before = spent(of)
    turns = (ask[n % len(ask)] for n in range(10**9))
    came = flood(server.port, turns, phones=phones, rate=phones / every, seconds=seconds)
    used = since(before, spent(of)).total()
    took = came.of(304)
    yield (
        f"{phones} phones that ask every {every} s: {len(took)} answers 304 of {came.sent}, "
        f"p50 {share(took or [0], 0.5):.1f} ms, p99 {share(took or [0], 0.99):.1f} ms, "
        f"{1000 * used / came.sent:.2f} ms CPU each, {100 * used / came.seconds:.0f} % of a core"
    )


async def version_of(url: str, here: str, token: str) -> str:
    line = await Line.to(url)
    said = await line.ask("GET", here, token=token)
    await line.close()
    return said.headers["etag"]


def among_many(place: Place, sizes: list[int], appends: int) -> Iterator[str]:
    """The median append of a deal in an empty book, and among so many events."""
    with place.book() as urls:
        alone = Player(urls)
        yield f"a deal appended to an empty book: {statistics.median(times(alone, appends)):.2f} ms"
        for events in sizes:
            with place.book() as big:
                began = time.perf_counter()
                made = volume.fill(big, volume.evening_ids(events))
                filled = time.perf_counter() - began
                player = Player(big)
                place.calm()
                rounds = [(times(alone, appends), times(player, appends)) for _ in range(5)]
                ratios = [statistics.median(b) / statistics.median(a) for a, b in rounds]
                ours = statistics.median(ms for _, b in rounds for ms in b)
                whole = sum(map(sum, room(big).values()))
                yield (
                    f"among {made:,} events: {ours:.2f} ms, {statistics.median(ratios):.2f} × "
                    f"({min(ratios):.2f}–{max(ratios):.2f}); the book takes {whole / 1e9:.2f} GB; "
                    f"made in {filled:.0f} s"
                )
                player.store.pool.close()
        alone.store.pool.close()


def times(player: Player, appends: int) -> list[float]:
    return [player.one() for _ in repeat(None, appends)]


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    asked.add_argument("--evenings", type=int, default=100)
    asked.add_argument("--events", type=int, nargs="*", default=[1_000_000, 10_000_000])
    asked.add_argument("--appends", type=int, default=200)
    given = asked.parse_args()
    with place(Sizes()) as here:
        print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.2f}", flush=True)
        for said in evening(here, given.evenings):
            print(said, flush=True)
        for said in among_many(here, given.events, given.appends):
            print(said, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
