"""The latency of one client's actions while other clients ask for long work all the time.

The long work is PDFs of a long evening (P14) or, in overload.py, audits and imports. The one client
sends one action in each request.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from tests.support.api.http_client import Answer
from tests.support.api.socket_clients import (
    Connection,
    open_session,
    pause,
    percentile,
    run_and_close,
)
from tests.support.proofs.resigned_export import resign_export
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.http.request_cost import action_requests, serve_vola
from tests.verification.bench.measurement import Measurement, compare_sides, run_in_turn

DEALS = 12  # in an evening that is audited or imported
PAUSE_SECONDS = 0.02  # between two actions of the one client, as a phone would pause

Ask = Callable[[Connection], Any]


class LatencyResult(NamedTuple):
    """The milliseconds until each action was recorded, sorted; the number of refusals; the statuses
    that the other clients got, and in how many seconds."""

    took: list[float]
    refused: int
    others: Counter[int]
    seconds: float

    @property
    def p99(self) -> float:
        return percentile(self.took, 0.99)


def latency_beside_pdfs(context: BenchContext) -> Iterator[Measurement]:
    """Yield row P14."""
    sizes = context.sizes
    results: dict[str, list[LatencyResult]] = {"ours": [], "quiet": []}
    with context.database() as urls, serve_vola(context, urls) as server:
        pdf = run_and_close(ask_for_pdf(server.url, sizes.pdf_deals))

        def p99(side: str, clients: int) -> float:
            results[side].append(
                run_and_close(measure_others(server.url, clients, pdf, sizes.writes))
            )
            return results[side][-1].p99

        sides = {"ours": partial(p99, "ours", sizes.pdfs), "quiet": partial(p99, "quiet", 0)}
        times = run_in_turn(sides, sizes.repetitions, context.checkpoint)
    ours = results["ours"]
    made = sum(result.others[200] for result in ours)
    assert made, "no PDF was made"
    refused = sum(result.others.total() for result in ours) - made
    medians = {
        name: percentile(sorted(r.took[len(r.took) // 2] for r in side), 0.5)
        for name, side in results.items()
    }
    notes = [
        f"{sizes.writes} actions a repetition, {1000 * PAUSE_SECONDS:.0f} ms between two; p50 "
        f"{medians['ours']:.1f} ms, quiet {medians['quiet']:.1f} ms; "
        f"{sum(result.refused for result in ours)} actions refused at first; statements of "
        f"{sizes.pdf_deals} deals: {made / sum(result.seconds for result in ours):.1f} a second "
        f"made, {refused} refused"
    ]
    yield compare_sides("P14", times, "quiet", "ms", notes)


async def ask_for_pdf(url: str, deals: int) -> Ask:
    """Record an evening of `deals` deals. Return the request for its statement."""
    connection = await Connection.connect(url)
    path, token = await open_session(connection)
    await record_deals(connection, path, token, range(1, deals + 1))
    return lambda connection: connection.ask("GET", f"{path}/statement?format=pdf", token=token)


async def during_long_work(url: str, writes: int) -> str:
    """Return a table: what the other clients ask for, and the latency of the one client."""
    connection = await Connection.connect(url)
    path, token = await open_session(connection)
    await record_deals(connection, path, token, range(1, DEALS + 1))
    export = (await connection.ask("GET", f"{path}/export", token=token)).json
    await connection.close()
    audit = lambda connection: connection.ask("GET", f"{path}/audit", token=token)  # noqa: E731
    files = import_requests(export)
    imported = lambda connection: connection.ask("POST", "/v1/imports", next(files))  # noqa: E731
    rows = {
        "nothing": await measure_others(url, 0, audit, writes),
        "16 audits": await measure_others(url, 16, audit, writes),
        "4 imports": await measure_others(url, 4, imported, writes),
    }
    return "\n".join(
        f"actions beside {name}: p50 {percentile(result.took, 0.5):.0f} ms, "
        f"p99 {result.p99:.0f} ms, most {result.took[-1]:.0f} ms, "
        f"{result.refused} refused at first; the others {dict(result.others)}"
        for name, result in rows.items()
    )


def import_requests(export: Any) -> Iterator[Any]:
    """Yield the same evening without end, each time under another session id."""
    while True:
        yield resign_export({**export, "session": str(uuid.uuid4())})


async def measure_others(url: str, clients: int, ask: Ask, writes: int) -> LatencyResult:
    """Return the latency of one client while `clients` others ask without a pause."""
    stop = asyncio.Event()
    statuses: Counter[int] = Counter()

    async def keep_asking() -> None:
        connection = await Connection.connect(url)
        while not stop.is_set():
            reply: Answer = await ask(connection)
            statuses[reply.status] += 1
            if wait := reply.headers.get("retry-after"):
                await pause(stop, float(wait))
        await connection.close()

    crowd = [asyncio.create_task(keep_asking()) for _ in range(clients)]
    began = time.perf_counter()
    await asyncio.sleep(1 if clients else 0)
    took, refused = await write_repeatedly(url, writes)
    stop.set()
    await asyncio.gather(*crowd)
    return LatencyResult(took, refused, statuses, time.perf_counter() - began)


async def write_repeatedly(url: str, writes: int) -> tuple[list[float], int]:
    """Return the milliseconds until each action was recorded, sorted, and the refusals."""
    connection, refused = await Connection.connect(url), 0
    took: list[float] = []
    actions = action_requests(*await open_session(connection))
    for _ in range(writes):
        action, began = next(actions), time.perf_counter()
        while True:
            connection.writer.write(action)
            reply = await connection.answer()
            if reply.status == 201:
                break
            assert reply.status == 503, reply.raw
            refused += 1
            await asyncio.sleep(PAUSE_SECONDS)
        took.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(PAUSE_SECONDS)
    await connection.close()
    return sorted(took), refused


async def record_deals(connection: Connection, path: str, token: str, numbers: range) -> None:
    for number in numbers:
        reply = await connection.ask("POST", f"{path}/actions", deal_actions(number), token=token)
        assert reply.status == 201, reply.raw


def deal_actions(number: int) -> dict[str, Any]:
    declared = {"type": "declare", "players": ["p2"]}
    won = {"type": "result", "winner": "p3"}
    return {"actions": [{"type": "open_deal", "number": number}, declared, won]}
