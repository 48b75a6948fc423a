"""The cost of phones that only view an evening: those that poll, and those that listen."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle

from tests.support.api.socket_clients import Connection, percentile, request, run_and_close
from tests.support.databases import DatabaseUrls
from tests.support.server_process import ServerProcess
from tests.verification.bench.http.open_loop_load import run_open_loop
from tests.verification.bench.sessions.resource_usage import (
    cpu_used,
    list_processes,
    measure_usage,
    memory_used,
)
from tests.verification.bench.sessions.session_cost import Evenings

PHONES = 500
FAST_POLL_SECONDS, POLLING_SECONDS = 3, 12
POLL_SECONDS = 10
"""The interval at which a phone that listens also polls, as the form does (session_sync.js)."""
ACTION_SECONDS = 10
"""The interval between two actions at each table."""
CONNECTING_SECONDS, LISTENING_SECONDS = 10, 30


def polling_cost(server: ServerProcess, urls: DatabaseUrls, evenings: Evenings) -> str:
    """Return the cost of phones that poll every three seconds for an evening without changes."""
    processes = list_processes(server, urls)
    version = run_and_close(_version(server.url, *evenings[0]))
    requests = [
        request("GET", path, headers={"If-None-Match": version}, token=token)
        for path, token in evenings[: min(20, len(evenings))]
    ]
    before = measure_usage(processes)
    rate = PHONES / FAST_POLL_SECONDS
    result = run_open_loop(
        server.port, cycle(requests), phones=PHONES, rate=rate, seconds=POLLING_SECONDS
    )
    used = cpu_used(before, measure_usage(processes)).total()
    times = result.of(304)
    return (
        f"{PHONES} phones that ask every {FAST_POLL_SECONDS} s: "
        f"{len(times)} answers 304 of {result.sent}, "
        f"p50 {percentile(times or [0], 0.5):.1f} ms, p99 {percentile(times or [0], 0.99):.1f} ms, "
        f"{1000 * used / result.sent:.2f} ms CPU each, "
        f"{100 * used / result.seconds:.0f} % of a core"
    )


async def _version(url: str, path: str, token: str) -> str:
    connection = await Connection.connect(url)
    reply = await connection.ask("GET", path, token=token)
    await connection.close()
    return reply.headers["etag"]


@dataclass
class ListeningResult:
    """What phones saw while they listened."""

    written: dict[str, float] = field(default_factory=dict)  # when the last was sent, by path
    actions: int = 0
    waits: list[float] = field(default_factory=list)  # milliseconds until a phone heard of it
    answers: Counter[int] = field(default_factory=Counter)  # to phones that asked, by status
    refused: int = 0  # streams


def listening_cost(server: ServerProcess, urls: DatabaseUrls, evenings: Evenings) -> Iterator[str]:
    """Yield the cost of phones that listen at tables in play, each with one stream. A phone that
    is notified fetches what is new; it also polls now and then."""
    result = ListeningResult()
    used, memory = run_and_close(_listen(server, urls, evenings, result))
    waits = sorted(result.waits) or [0.0]
    yield (
        f"{PHONES} phones that listen at {min(PHONES, len(evenings))} tables, at each an "
        f"action every {ACTION_SECONDS} s: {result.actions} actions, "
        f"heard of {len(result.waits)} times, "
        f"p50 {percentile(waits, 0.5):.0f} ms, p95 {percentile(waits, 0.95):.0f} ms; "
        f"{result.refused} streams refused; "
        f"fetched {result.answers[200]}, nothing new {result.answers[304]}, "
        f"anything else {result.answers.total() - result.answers[200] - result.answers[304]}"
    )
    for kind, seconds in used.items():
        yield f"  {kind:24} {100 * seconds / LISTENING_SECONDS:9.1f} % of a core"
    yield f"  an API process holds {', '.join(f'{mb:.0f}' for mb in memory)} MB"


async def _listen(
    server: ServerProcess, urls: DatabaseUrls, evenings: Evenings, result: ListeningResult
) -> tuple[Counter[str], list[float]]:
    places = [evenings[n % len(evenings)] for n in range(PHONES)]
    phones = []
    for place in places:
        phones.append(asyncio.create_task(_phone(server.url, *place, result)))
        await asyncio.sleep(CONNECTING_SECONDS / PHONES)
    await asyncio.sleep(2)
    result.waits.clear()
    result.answers.clear()
    processes = list_processes(server, urls)
    before = measure_usage(processes)
    tables = [
        asyncio.create_task(_table(server.url, *place, ACTION_SECONDS * n / len(evenings), result))
        for n, place in enumerate(evenings[:PHONES])
    ]
    await asyncio.sleep(LISTENING_SECONDS)
    used, memory = cpu_used(before, measure_usage(processes)), memory_used(processes)["api"]
    for task in (*phones, *tables):
        task.cancel()
    ended = await asyncio.gather(*phones, *tables, return_exceptions=True)
    for outcome in ended:
        assert isinstance(outcome, asyncio.CancelledError), repr(outcome)
    return used, memory


async def _phone(url: str, path: str, token: str, result: ListeningResult) -> None:
    stream, connection = await Connection.connect(url), await Connection.connect(url)
    news = asyncio.Event()

    async def listen() -> None:
        stream.writer.write(request("GET", f"{path}/stream", token=token))
        if (await stream.reader.readuntil(b"\r\n\r\n")).split()[1] != b"200":
            result.refused += 1
            return
        async for at, piece in stream.chunks():
            if b"event: version" in piece:
                if path in result.written:
                    result.waits.append((at - result.written[path]) * 1000)
                news.set()

    listener, etag = asyncio.create_task(listen()), ""
    try:
        while True:
            headers = {"If-None-Match": etag} if etag else {}
            reply = await connection.ask("GET", path, headers=headers, token=token)
            result.answers[reply.status] += 1
            if reply.status not in (200, 304):
                await asyncio.sleep(int(reply.headers["retry-after"]))
                continue
            etag = reply.headers["etag"]
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), POLL_SECONDS)
            news.clear()
    finally:
        listener.cancel()


async def _table(url: str, path: str, token: str, first: float, result: ListeningResult) -> None:
    """Record deals that all players pass, one action at a time."""
    connection, post = await Connection.connect(url), f"{path}/actions"
    await asyncio.sleep(first)
    reply = await connection.ask("GET", path, token=token)
    while True:
        for kind in ("open_deal", "all_pass"):
            headers, body = {"If-Match": reply.headers["etag"]}, {"actions": [{"type": kind}]}
            result.written[path] = time.perf_counter()
            reply = await connection.ask("POST", post, body, headers, token)
            assert reply.status == 201, reply.raw
            result.actions += 1
            await asyncio.sleep(ACTION_SECONDS)
