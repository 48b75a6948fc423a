"""An open-loop load: a fixed rate of requests, which does not depend on the answers.

The client is one process that uses little CPU. Its phones are connections, each with at most one
request under way; while all phones wait for answers, no request is sent.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from tests.verification.bench.http.closed_loop_load import ClientConnection


class OpenLoopResult(NamedTuple):
    """The milliseconds of every answer by its status (0: hung up), the `seconds` that they took,
    and the share of a core that the client used."""

    took: dict[int, list[float]]
    seconds: float
    core: float

    @property
    def sent(self) -> int:
        return sum(map(len, self.took.values()))

    def of(self, *statuses: int) -> list[float]:
        """Return the milliseconds of all answers with these statuses, sorted."""
        return sorted(ms for status in statuses for ms in self.took.get(status, ()))


def run_open_loop(
    port: int, requests: Iterator[bytes], *, phones: int, rate: float, seconds: float
) -> OpenLoopResult:
    """Ask `rate` times a second through any idle phone for `seconds`, and then await all answers.

    The requests are made before the clock starts.
    """
    total = int(rate * seconds)
    stock = deque(next(requests) for _ in range(total))
    connections = [ClientConnection(port, _drain(stock)) for _ in range(phones)]
    took: dict[int, list[float]] = {}
    with select.epoll() as poll:
        by_number: dict[int, ClientConnection] = {}
        idle = deque(connections)
        busy, began, sent = time.process_time(), time.perf_counter(), 0

        def answered(connection: ClientConnection, status: int) -> None:
            took.setdefault(status, []).append((time.perf_counter() - connection.began) * 1000)
            poll.unregister(connection.socket.fileno())
            del by_number[connection.socket.fileno()]

        while sent < total or by_number:
            now = time.perf_counter() - began
            due = min(total, int(now * rate) + 1) if now < seconds else sent
            while sent < due and idle and stock:
                connection = idle.popleft()
                by_number[connection.socket.fileno()] = connection
                poll.register(connection.socket.fileno(), select.EPOLLIN)
                connection.ask()
                sent += 1
            if now >= seconds and not by_number:
                break
            for number, _ in poll.poll(0.001 if now < seconds else 1):
                connection = by_number[number]
                try:
                    if not connection.receive():
                        continue
                except (AssertionError, OSError):
                    answered(connection, 0)
                    connection.end()
                    connection = ClientConnection(port, _drain(stock))
                else:
                    answered(connection, connection.status)
                idle.append(connection)
        lasted = time.perf_counter() - began
    core = (time.process_time() - busy) / lasted
    for connection in {*connections, *idle}:
        connection.end()
    return OpenLoopResult(took, lasted, core)


def _drain(stock: deque[bytes]) -> Iterator[bytes]:
    while stock:
        yield stock.popleft()
