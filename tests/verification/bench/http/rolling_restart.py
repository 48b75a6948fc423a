"""Two servers on one ledger, restarted one after the other while phones keep score.

`make bench-overload` prints how many requests were answered, how many ended without an answer and
were sent again with the same key, and how many were lost or doubled. A plain proxy between phones
and servers chooses any server that accepts.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.api.socket_clients import (
    SESSION_BODY,
    Connection,
    ConnectionCut,
    percentile,
    run_and_close,
)
from tests.support.databases import create_database, run_temporary_servers
from tests.support.server_process import VOLA, ServerProcess
from tests.verification.command_parser import command_parser

PATIENCE_SECONDS = 60


class LoadBalancer:
    """A proxy before several servers: each connection goes to the next server that accepts it."""

    def __init__(self, ports: list[int]) -> None:
        self.ports, self.url = ports, ""
        self._turn = count()
        self._carriers: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> LoadBalancer:
        self._listening = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        for carrier in list(self._carriers):
            carrier.cancel()
        await asyncio.gather(*self._carriers, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        turn = next(self._turn)
        for port in self.ports[turn % len(self.ports) :] + self.ports[: turn % len(self.ports)]:
            with suppress(OSError):
                connection = await asyncio.open_connection("127.0.0.1", port)
                break
        else:
            writer.close()
            return
        ways = ((reader, connection[1]), (connection[0], writer))
        pipes = [asyncio.create_task(_carry(*way)) for way in ways]
        self._carriers.update(pipes)
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
        for way in pipes:
            way.cancel()
        for end in (writer, connection[1]):
            end.close()
        self._carriers.difference_update(pipes)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()


@dataclass
class RequestResults:
    """What phones saw: statuses, cut connections, acknowledged versions, and the milliseconds from
    the first try of a request to its answer."""

    statuses: Counter[int] = field(default_factory=Counter)
    cut: int = 0
    replayed: int = 0
    acknowledged: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)


async def keep_score(url: str, results: RequestResults, stop: asyncio.Event) -> None:
    """Record an evening of passed deals; send each request with one key until it is answered."""
    connection: Connection | None = None

    async def post_until_answered(path: str, body: Any, token: str = "") -> Any:
        nonlocal connection
        key, began = {"Idempotency-Key": str(uuid.uuid4())}, time.monotonic()
        while time.monotonic() < began + PATIENCE_SECONDS:
            try:
                if connection and connection.ended:
                    await connection.close()
                    connection = None
                connection = connection or await Connection.connect(url)
                reply = await connection.ask("POST", path, body, key, token)
            except (ConnectionCut, OSError):
                results.cut += 1
                if connection:
                    await connection.close()
                connection = None
                await asyncio.sleep(0.02)
                continue
            results.statuses[reply.status] += 1
            if reply.status == 201:
                results.replayed += "idempotency-replayed" in reply.headers
                results.took.append((time.monotonic() - began) * 1000)
                return reply.json
            assert reply.status == 503, reply
            await asyncio.sleep(0.1)
        raise TimeoutError(f"{path} is not answered")

    opened = await post_until_answered("/v1/sessions", SESSION_BODY)
    path, token = f"/v1/sessions/{opened['id']}", opened["tokens"]["host"]
    results.tokens[path] = token
    receipts = results.acknowledged[path] = []
    for number in count(1):
        if stop.is_set():
            return
        deal = [{"type": "open_deal", "number": number}, {"type": "all_pass"}]
        reply = await post_until_answered(f"{path}/actions", {"actions": deal}, token)
        receipt = reply["receipt"]
        receipts.append((receipt["version"], receipt["hash"]))


async def compare_with_ledger(url: str, results: RequestResults) -> dict[str, int]:
    """Return how many acknowledged versions the book lacks, and how many deals it has twice."""
    lost = doubled = 0
    connection = await Connection.connect(url)
    for session_path, receipts in results.acknowledged.items():
        after = 0
        events: list[dict[str, Any]] = []
        while after is not None:
            path = f"{session_path}/events?limit=1000&after={after}"
            page = (await connection.ask("GET", path, token=results.tokens[session_path])).json
            events += page["events"]
            after = page["next"]
        hashes = {event["version"]: event["hash"] for event in events}
        lost += sum(hashes.get(version) != event_hash for version, event_hash in receipts)
        deals = sum(event["type"] == "deal_opened" for event in events)
        doubled += deals - len(receipts)
    await connection.close()
    return {"lost": lost, "doubled": doubled}


async def restart_in_turn(
    servers: list[ServerProcess], phones: int, rounds: int
) -> tuple[RequestResults, list[float]]:
    """Let phones play while each server is stopped and started, `rounds` times. Return what they
    saw, and the seconds of each stop."""
    results, stop = RequestResults(), asyncio.Event()
    stops: list[float] = []
    async with LoadBalancer([server.port for server in servers]) as front:
        playing = [asyncio.create_task(keep_score(front.url, results, stop)) for _ in range(phones)]
        await asyncio.sleep(0.5)
        for server in servers * rounds:
            began = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            stops.append(time.monotonic() - began)
            await asyncio.to_thread(server.start)
        stop.set()
        await asyncio.gather(*playing)
        return results, stops


def code_environment(folder: Path | None) -> dict[str, str]:
    """Return the variables that make a process run the code of this checkout, if one is named."""
    return {"PYTHONPATH": str(folder.absolute()), "PYTHONSAFEPATH": "1"} if folder else {}


def main() -> int:
    parser = command_parser("bench.http.rolling_restart", __doc__)
    parser.add_argument("--phones", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument(
        "--earlier", type=Path, help="a checkout of an earlier Vola, which one of the servers runs"
    )
    arguments = parser.parse_args()
    with ExitStack() as stack:
        embedded = stack.enter_context(run_temporary_servers("bench"))
        environment = embedded.environment_of(create_database(embedded.postgres, "rolling"))
        versions = [environment | code_environment(f) for f in (arguments.earlier, None)]
        for version in versions:  # the later one upgrades what the earlier one has created
            migrate = [sys.executable, "-m", *VOLA, "migrate", "--no-backup"]
            subprocess.run(migrate, env=os.environ | version, check=True, capture_output=True)
        servers = [
            ServerProcess(version, embedded.folder / f"{number}.log").start()
            for number, version in enumerate(versions)
        ]
        for server in servers:
            stack.callback(server.stop)
        results, stops = run_and_close(restart_in_turn(servers, arguments.phones, arguments.rounds))
        book = run_and_close(compare_with_ledger(servers[0].url, results))
    answered, took = sum(results.statuses.values()), sorted(results.took)
    print(
        f"rolling restarts: {len(stops)}, each stop {min(stops):.1f}-{max(stops):.1f} s; "
        f"{arguments.phones} phones, {answered} answers ({dict(results.statuses)}), "
        f"{results.cut} requests without an answer, {results.replayed} answers repeated; "
        f"until answered p50 {percentile(took, 0.5):.0f} ms, p99 {percentile(took, 0.99):.0f} ms, "
        f"at most {took[-1]:.0f} ms; lost {book['lost']}, doubled {book['doubled']}"
    )
    return 1 if book["lost"] or book["doubled"] else 0


if __name__ == "__main__":
    sys.exit(main())
