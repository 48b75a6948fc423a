"""What a request costs with everything on: rights, key, shape, rules, projections, fsync and log.

P3: actions a second at 32 clients, beside a JSON echo on the same server. P4: how long one client
waits for one action, beside a bare INSERT. One action a request: a deal is opened, declared, and
closed by its result, again and again, each client in an evening of his own.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, repeat
from statistics import median
from typing import Any

from tests.support.api.socket_clients import Line, meet, open_evening, request, share
from tests.support.databases import DatabaseUrls
from tests.support.server_process import ModuleProcess, ServerProcess, run_server
from tests.verification.bench.bare_inserts import Bare
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.http_caller import Caller, LoadResult
from tests.verification.bench.measurement import Measured, compare, each_took, in_turn, median_ratio

LIMITS = "1000"
"""So many times the usual ones: they are on, and wide enough for clients from one address."""
KINDS = ("flask", "reception", "insert")
BODY = {"actions": [{"type": "declare", "players": ["p2"]}]}


def acting(path: str, token: str) -> Iterator[bytes]:
    """The requests of an evening, each with a key of its own."""

    def act(action: dict[str, Any], **headers: str) -> bytes:
        return request("POST", f"{path}/actions", {"actions": [action]}, headers, token)

    for number in count():
        declarer, winner = (f"p{1 + n % 4}" for n in (number, number // 2))
        yield act({"type": "open_deal", "number": number + 1})
        yield act({"type": "declare", "players": [declarer]}, **{"If-Match": "*"})
        yield act({"type": "result", "winner": winner}, **{"If-Match": "*"})


def actors(url: str, evenings: int) -> list[Iterator[bytes]]:
    async def opened() -> list[Iterator[bytes]]:
        line = await Line.connect(url)
        return [acting(*await open_evening(line)) for _ in range(evenings)]

    return meet(opened())


@contextmanager
def vola(context: BenchContext, urls: DatabaseUrls) -> Iterator[ServerProcess]:
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
def echo(context: BenchContext, kind: str, urls: DatabaseUrls) -> Iterator[int]:
    """The port of an echo of this kind."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = ModuleProcess(
        [str(port), kind],
        {"DATABASE_URL": urls.app},
        context.folder / "echo.log",
        module=("tests.verification.bench.echo_server",),
    )
    process.launch()
    try:
        address = ("127.0.0.1", port)
        process.wait_until(lambda: socket.create_connection(address, timeout=1).close())
        yield port
    finally:
        process.stop(signal.SIGTERM)


class Side:
    """One server asked again and again by the same clients; remembers what it said."""

    def __init__(self, port: int, lines: list[Iterator[bytes]], seconds: float) -> None:
        self.caller, self.seconds = Caller(port, lines), seconds
        self.results = list[LoadResult]()
        self.caller.ask(min(1, seconds))  # warm

    def rate(self) -> float:
        self.results.append(self.caller.ask(self.seconds))
        return self.results[-1].rate

    def p50(self) -> float:
        self.rate()
        return self.results[-1].p50

    @property
    def note(self) -> str:
        last = self.results[-1]
        return (
            f"p50 {last.p50:.1f} ms, p99 {last.p99:.1f} ms, the client took "
            f"{100 * last.core:.0f} % of a core"
        )


def request_rate(context: BenchContext) -> Iterator[Measured]:
    """P3."""
    sizes, lines = context.sizes, context.sizes.clients
    with ExitStack() as stack:
        urls = stack.enter_context(context.database())
        server = stack.enter_context(vola(context, urls))
        ports = {kind: stack.enter_context(echo(context, kind, urls)) for kind in KINDS}
        echo_requests = repeat(request("POST", "/echo", BODY, token="host0." + "x" * 43))
        sides = {"ours": Side(server.port, actors(server.url, lines), sizes.seconds)}
        for kind, port in ports.items():
            sides[kind] = Side(port, [echo_requests] * lines, sizes.seconds)
        for side in sides.values():
            stack.callback(side.caller.close)
        measures = {name: side.rate for name, side in sides.items()}
        rates = in_turn(measures, sizes.repetitions, context.calm)
    notes = [
        f"{lines} connections of one client process (epoll, requests made beforehand); "
        f"actions: {sides['ours'].note}; echo: {sides['flask'].note}",
        f"the echo behind Vola's own reception: {median(rates['reception']):,.0f} requests/s; "
        f"to it, {median_ratio(rates['ours'], rates['reception']):.2f} ×",
        f"the echo that writes a row by psycopg before it answers: "
        f"{median(rates['insert']):,.0f} requests/s, "
        f"{median_ratio(rates['insert'], rates['flask']):.2f} × of the one that does not",
    ]
    yield compare("P3", rates, "flask", "requests/s", notes)


def one_client_latency(context: BenchContext) -> Iterator[Measured]:
    """P4."""
    sizes = context.sizes
    with ExitStack() as stack:
        urls = stack.enter_context(context.database())
        server = stack.enter_context(vola(context, urls))
        side = Side(server.port, actors(server.url, 1), sizes.seconds)
        stack.callback(side.caller.close)
        echo_requests = repeat(request("POST", "/echo", BODY, token="host0." + "x" * 43))
        echoed = Side(
            stack.enter_context(echo(context, "insert", urls)), [echo_requests], sizes.seconds
        )
        stack.callback(echoed.caller.close)
        insert = Bare(urls.app, connections=1)
        stack.callback(insert.pool.close)

        def bare() -> float:
            return share(each_took(insert, sizes.seconds), 0.5)

        measures = {"ours": side.p50, "insert": bare, "echo": echoed.p50}
        times = in_turn(measures, sizes.repetitions, context.calm)
    notes = [
        f"one connection: {side.note}; the INSERT by psycopg in autocommit, out of a pool "
        f"that does not look whether its connection lives",
        f"the echo that does this INSERT before it answers: p50 "
        f"{median(times['echo']):.2f} ms, "
        f"{median_ratio(times['echo'], times['insert']):.2f} × of the INSERT",
    ]
    yield compare("P4", times, "insert", "ms", notes)
