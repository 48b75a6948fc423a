"""Ten times as many requests as the server can answer (P15): how many it answers, and how soon.

The server refuses the others at once; a client may send them again.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import closing

from tests.support.api.socket_clients import (
    SESSION_BODY,
    Connection,
    open_session,
    percentile,
    request,
    run_and_close,
)
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.http.closed_loop_load import ClosedLoopClient
from tests.verification.bench.http.open_loop_load import OpenLoopResult, run_open_loop
from tests.verification.bench.http.request_cost import serve_vola
from tests.verification.bench.measurement import Measurement, make_absolute_row

CLIENTS = 16  # each asks again as soon as it is answered
TIMES = 10


def mixed_requests(path: str, token: str) -> Iterator[bytes]:
    """Yield requests for a new evening and for a read, by turns."""
    while True:
        yield request("POST", "/v1/sessions", SESSION_BODY)
        yield request("GET", path, token=token)


def measure_excess(context: BenchContext) -> Iterator[Measurement]:
    """Yield the rows of P15."""
    sizes = context.sizes
    capacities: list[float] = []
    overloads: list[OpenLoopResult] = []
    with context.database() as urls, serve_vola(context, urls) as server:
        session = run_and_close(connect_and_open(server.url))
        request_streams = [mixed_requests(*session) for _ in range(CLIENTS)]
        with closing(ClosedLoopClient(server.port, request_streams)) as client:
            client.run(min(1, sizes.seconds))  # warm
            for _ in range(sizes.repetitions):
                context.checkpoint()
                capacities.append(client.run(sizes.seconds).rate)
                overloads.append(
                    run_open_loop(
                        server.port,
                        mixed_requests(*session),
                        phones=sizes.phones,
                        rate=TIMES * capacities[-1],
                        seconds=2 * sizes.seconds,
                    )
                )
    answered = [result.of(200, 201) for result in overloads]
    rates = [len(took) / result.seconds for took, result in zip(answered, overloads, strict=True)]
    sent = statistics.median(result.sent / result.seconds for result in overloads)
    refused = [ms for result in overloads for ms in result.of(429, 503)] or [0.0]
    others = sum(result.sent - len(result.of(200, 201, 429, 503)) for result in overloads)
    core = statistics.median(result.core for result in overloads)
    notes = [
        f"capacity: {CLIENTS} clients, a read and a new evening by turns; then {TIMES} times as "
        f"many from {sizes.phones:,} phones with one request under way each: "
        f"{sent:,.0f} sent a second, which took the client {100 * core:.0f} % of a core; refused "
        f"(429, 503) in p50 {percentile(sorted(refused), 0.5):.0f} ms, anything else {others}"
    ]
    yield Measurement(
        name="P15 rate", ours=rates, reference=capacities, unit="requests/s", notes=notes
    )
    yield make_absolute_row(
        "P15 p99", [percentile(took, 0.99) / 1000 for took in answered], "s", []
    )


async def connect_and_open(url: str) -> tuple[str, str]:
    return await open_session(await Connection.connect(url))
