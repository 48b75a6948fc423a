"""The latency of one normal client when others ask for too much, each figure with its reference.

`python -m tests.verification.bench.http.overload` starts a server of its own and prints: one client
beside slow ones; one beside more listeners than there are streams; how soon listeners receive a
change; and one that records beside audits and imports. Server, database and all clients share the
machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress

from api.resources.change_feed import MAX_STREAMS
from api.server.granian_server import API_PROCESSES
from tests.support.api.socket_clients import (
    Connection,
    open_session,
    percentile,
    request,
    run_and_close,
    stall,
)
from tests.support.databases import run_temporary_servers
from tests.support.server_process import run_server
from tests.verification.bench.http.long_requests import during_long_work
from tests.verification.command_parser import command_parser

STALLS = ("silent", "head", "body", "deaf")


async def measure_one_client(url: str, requests: int) -> list[float]:
    """Write and read by turns; all must succeed. Return each request's milliseconds, sorted."""
    connection = await Connection.connect(url)
    took: list[float] = []
    path, token = await open_session(connection)
    number = 0
    for turn in range(requests):
        began = time.perf_counter()
        if turn % 2:
            reply = await connection.ask("GET", path, token=token)
        else:
            number += 1
            deal = [{"type": "open_deal", "number": number}, {"type": "all_pass"}]
            reply = await connection.ask("POST", f"{path}/actions", {"actions": deal}, token=token)
        assert reply.status in (200, 201), reply
        took.append((time.perf_counter() - began) * 1000)
    await connection.close()
    return sorted(took)


async def during_slow_clients(url: str, slow: int, requests: int) -> str:
    alone = await measure_one_client(url, requests)
    stop = asyncio.Event()
    crowd = [asyncio.create_task(stall(url, STALLS[n % 4], stop)) for n in range(slow)]
    await asyncio.sleep(2)
    during = await measure_one_client(url, requests)
    await asyncio.sleep(12)  # those that send a body slowly were cut once and have reconnected
    afterwards = await measure_one_client(url, requests)
    stop.set()
    await asyncio.gather(*crowd)
    return (
        f"one client: {format_latency(alone)}; beside {slow} slow ones: {format_latency(during)}; "
        f"12 s later: {format_latency(afterwards)}; all answered"
    )


def format_latency(took: list[float]) -> str:
    return f"p50 {percentile(took, 0.5):.1f} ms, p99 {percentile(took, 0.99):.1f} ms"


async def more_listeners_than_streams(url: str, listeners: int, requests: int) -> str:
    alone = await measure_one_client(url, requests)
    connection = await Connection.connect(url)
    places: list[tuple[str, str]] = []
    for _ in range(listeners // 4):
        places.append(await open_session(connection))
    listening: list[tuple[int, Connection]] = []
    for nth in range(listeners):
        path, token = places[nth % len(places)]
        stream = await Connection.connect(url)
        stream.writer.write(request("GET", f"{path}/stream", token=token))
        listening.append((int((await stream.reader.readuntil(b"\r\n\r\n")).split()[1]), stream))
    kinds = Counter(status for status, _ in listening)
    during = await measure_one_client(url, requests)
    for _, stream in listening:
        await stream.close()
    await connection.close()
    return (
        f"{listeners} listeners, {MAX_STREAMS} streams in each of {API_PROCESSES} processes: "
        f"{kinds[200]} listen, {kinds[503]} refused, anything else "
        f"{listeners - kinds[200] - kinds[503]}; one client alone: {format_latency(alone)}; "
        f"beside them: {format_latency(during)}"
    )


async def change_latency(url: str, listeners: int, changes: int) -> str:
    """Return how soon listeners receive a change, counted from its sending, so with its write."""
    waits: list[float] = []
    connection = await Connection.connect(url)
    sent: dict[str, float] = {}
    places = [await open_session(connection) for _ in range(listeners)]

    async def listen(path: str, token: str) -> None:
        stream = await Connection.connect(url)
        stream.writer.write(request("GET", f"{path}/stream", token=token))
        assert (await stream.reader.readuntil(b"\r\n\r\n")).split()[1] == b"200"
        async for at, piece in stream.chunks():
            if path in sent and b"event: version" in piece:
                waits.append((at - sent.pop(path)) * 1000)

    tasks = [asyncio.create_task(listen(*place)) for place in places]
    await asyncio.sleep(1)
    for number in range(1, changes // listeners + 1):
        for path, token in places:
            sent[path] = time.perf_counter()
            deal = [{"type": "open_deal", "number": number}, {"type": "all_pass"}]
            reply = await connection.ask("POST", f"{path}/actions", {"actions": deal}, token=token)
            assert reply.status == 201
            await asyncio.sleep(0.037)
    await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)
    waits.sort()
    return (
        f"{len(waits)} changes heard of, {len(sent)} not: p50 {percentile(waits, 0.5):.0f} ms, "
        f"p95 {percentile(waits, 0.95):.0f} ms, at most {waits[-1]:.0f} ms after they were sent"
    )


def main() -> int:
    parser = command_parser("bench.http.overload", __doc__)
    parser.add_argument("--slow", type=int, default=500)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--listeners", type=int, default=600)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        embedded = stack.enter_context(run_temporary_servers("bench"))
        server = stack.enter_context(
            run_server(embedded.environment, embedded.folder / "server.log")
        )
        url = server.url
        print(
            run_and_close(during_slow_clients(url, arguments.slow, arguments.requests)), flush=True
        )
        crowd = more_listeners_than_streams(url, arguments.listeners, arguments.requests)
        print(run_and_close(crowd), flush=True)
        print(run_and_close(change_latency(url, 20, 200)), flush=True)
        print(run_and_close(during_long_work(url, arguments.requests)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
