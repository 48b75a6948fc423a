"""The cost of an evening of forty deals: disk space and write-ahead log (P12), and CPU (P13).

The CPU is that of all processes. Evenings are played over HTTP as phones do, one deal in each
request.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg

from tests.support.api.socket_clients import Connection, open_session, run_and_close
from tests.support.databases import DatabaseUrls
from tests.support.server_process import ServerProcess
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.http.request_cost import serve_vola
from tests.verification.bench.measurement import Measurement, make_absolute_row
from tests.verification.bench.sessions.resource_usage import (
    cpu_used,
    list_processes,
    measure_usage,
    table_sizes,
)
from tests.verification.bench.sessions.settlement import wait_until_settled

DEALS = 40
LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
EVENTS = "SELECT count(*) FROM vola.events"

Evenings = list[tuple[str, str]]
"""The path and token of each evening."""


class SessionCost(NamedTuple):
    """The cost of all `played` evenings together: bytes of log, CPU seconds by kind of process."""

    played: Evenings
    events: int
    log: int
    cpu: Counter[str]
    seconds: float


def deal_actions(number: int) -> dict[str, Any]:
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


async def play_sessions(url: str, evenings: int) -> Evenings:
    """Play evenings, one after the other. Return their paths and tokens."""
    connection, played = await Connection.connect(url), Evenings()
    for _ in range(evenings):
        path, token = await open_session(connection)
        for number in range(1, DEALS + 1):
            reply = await connection.ask(
                "POST", f"{path}/actions", deal_actions(number), token=token
            )
            assert reply.status == 201, reply
        played.append((path, token))
    await connection.close()
    return played


def measure_sessions(server: ServerProcess, urls: DatabaseUrls, evenings: int) -> SessionCost:
    """Play evenings, wait until every payment due in them is settled, and return what it cost."""
    logged, events = _query_int(urls, LOG), _query_int(urls, EVENTS)
    before, began = measure_usage(list_processes(server, urls)), time.perf_counter()
    played = run_and_close(play_sessions(server.url, evenings))
    with psycopg.connect(urls.super, autocommit=True) as db:
        wait_until_settled(db)
    seconds = time.perf_counter() - began
    cpu = cpu_used(before, measure_usage(list_processes(server, urls)))
    logged, events = _query_int(urls, LOG) - logged, _query_int(urls, EVENTS) - events
    return SessionCost(played, events, logged, cpu, seconds)


def _query_int(urls: DatabaseUrls, question: str) -> int:
    with psycopg.connect(urls.super) as db:
        row = db.execute(question).fetchone()
        assert row is not None
        return int(row[0])


def session_cost(context: BenchContext) -> Iterator[Measurement]:
    """Yield the rows of P12 and P13."""
    evenings = context.sizes.evenings
    costs: list[SessionCost] = []
    rooms: list[int] = []
    with context.database() as urls, serve_vola(context, urls) as server:
        run_and_close(play_sessions(server.url, 2))  # a warm-up
        for _ in range(context.sizes.repetitions):
            before = _bytes(urls)
            costs.append(measure_sessions(server, urls, evenings))
            rooms.append(_bytes(urls) - before)
    events = sum(cost.events for cost in costs) / len(costs) / evenings
    notes = [
        f"{events:.0f} events an evening, {evenings} evenings a repetition; tables and indexes "
        f"after a vacuum, whole pages; no checkpoint between"
    ]
    yield make_absolute_row("P12 room", [size / evenings / 1000 for size in rooms], "kB", notes)
    logs = [cost.log / evenings / 1000 for cost in costs]
    yield make_absolute_row("P12 log", logs, "kB", [])
    total = sum((cost.cpu for cost in costs), Counter())
    kinds = ", ".join(
        f"{kind} {1000 * seconds / evenings / len(costs):.0f}" for kind, seconds in total.items()
    )
    cpu = [1000 * cost.cpu.total() / evenings for cost in costs]
    yield make_absolute_row("P13", cpu, "ms", [f"ms by process: {kinds}"])


def _bytes(urls: DatabaseUrls) -> int:
    return sum(map(sum, table_sizes(urls).values()))
