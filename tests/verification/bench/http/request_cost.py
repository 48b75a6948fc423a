"""The cost of a request with everything on: access, key, schema, rules, projections, fsync, log.

P3 is the number of actions per second with 32 clients, P4 the time that one client waits for one
action. The reference of both is a Flask echo on the same server, which writes one row before it
answers. Each request has one action: a deal is opened, declared, and closed by its result, again
and again. Each client has an evening of its own.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, repeat
from typing import Any

from tests.support.api.socket_clients import Connection, open_session, request, run_and_close
from tests.support.databases import DatabaseUrls
from tests.support.server_process import ModuleProcess, ServerProcess, run_server
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.http.closed_loop_load import ClosedLoopClient, ClosedLoopResult
from tests.verification.bench.measurement import Measurement, compare_sides, run_in_turn

LIMITS = "1000"
"""The factor on the usual limits: they stay on, and admit all clients from one address."""
BODY = {"actions": [{"type": "declare", "players": ["p2"]}]}


def action_requests(path: str, token: str) -> Iterator[bytes]:
    """Yield the requests of an evening, each with a key of its own."""

    def act(action: dict[str, Any], **headers: str) -> bytes:
        return request("POST", f"{path}/actions", {"actions": [action]}, headers, token)

    for number in count():
        declarer, winner = (f"p{1 + n % 4}" for n in (number, number // 2))
        yield act({"type": "open_deal", "number": number + 1})
        yield act({"type": "declare", "players": [declarer]}, **{"If-Match": "*"})
        yield act({"type": "result", "winner": winner}, **{"If-Match": "*"})


def open_sessions(url: str, evenings: int) -> list[Iterator[bytes]]:
    async def opened() -> list[Iterator[bytes]]:
        connection = await Connection.connect(url)
        return [action_requests(*await open_session(connection)) for _ in range(evenings)]

    return run_and_close(opened())


@contextmanager
def serve_vola(context: BenchContext, urls: DatabaseUrls) -> Iterator[ServerProcess]:
    environment = {
        **urls.environment,
        "REDIS_URL": context.redis_url,
        "VOLA_DATA": str(context.folder),
        "VOLA_RATE_LIMITS": LIMITS,
        "VOLA_LOG": "json",
    }
    with run_server(environment, context.folder / "server.log") as server:
        yield server


@contextmanager
def serve_echo(context: BenchContext, urls: DatabaseUrls) -> Iterator[int]:
    """Yield the port of an echo server that writes to this database."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = ModuleProcess(
        [str(port)],
        {"DATABASE_URL": urls.app},
        context.folder / "echo.log",
        module=("tests.verification.bench.http.echo_server",),
    )
    process.launch()
    try:
        address = ("127.0.0.1", port)
        process.wait_until(lambda: socket.create_connection(address, timeout=1).close())
        yield port
    finally:
        process.stop(signal.SIGTERM)


class Side:
    """One server that the same clients load again and again, and the results."""

    def __init__(self, port: int, request_streams: list[Iterator[bytes]], seconds: float) -> None:
        self.client, self.seconds = ClosedLoopClient(port, request_streams), seconds
        self.results: list[ClosedLoopResult] = []
        self.client.run(min(1, seconds))  # warm

    def rate(self) -> float:
        self.results.append(self.client.run(self.seconds))
        return self.results[-1].rate

    def p50(self) -> float:
        self.rate()
        return self.results[-1].p50

    @property
    def note(self) -> str:
        last = self.results[-1]
        return (
            f"p50 {last.p50:.2f} ms, p99 {last.p99:.1f} ms, the client took "
            f"{100 * last.core:.0f} % of a core"
        )


def request_cost(context: BenchContext) -> Iterator[Measurement]:
    """Yield rows P3 and P4."""
    sizes = context.sizes
    with (
        context.database() as urls,
        serve_vola(context, urls) as server,
        serve_echo(context, urls) as echo_port,
    ):
        echo_requests = repeat(request("POST", "/echo", BODY, token="host0." + "x" * 43))

        @contextmanager
        def both_sides(clients: int) -> Iterator[dict[str, Side]]:
            sides = {
                "ours": Side(server.port, open_sessions(server.url, clients), sizes.seconds),
                "echo": Side(echo_port, [echo_requests] * clients, sizes.seconds),
            }
            yield sides
            for side in sides.values():
                side.client.close()

        with both_sides(sizes.clients) as sides:
            measures = {name: side.rate for name, side in sides.items()}
            rates = run_in_turn(measures, sizes.repetitions, context.checkpoint)
        notes = [
            f"{sizes.clients} connections of one client process (epoll, requests made beforehand)",
            *(f"{name}: {side.note}" for name, side in sides.items()),
        ]
        yield compare_sides("P3", rates, "echo", "requests/s", notes)
        with both_sides(clients=1) as sides:
            measures = {name: side.p50 for name, side in sides.items()}
            times = run_in_turn(measures, sizes.repetitions, context.checkpoint)
        notes = ["one connection", *(f"{name}: {side.note}" for name, side in sides.items())]
        yield compare_sides("P4", times, "echo", "ms", notes)
