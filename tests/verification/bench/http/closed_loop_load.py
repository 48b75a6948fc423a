"""A closed-loop load: each connection sends its next request as soon as the last is answered.

The client is one process that uses little CPU, so that a measurement is of the server. It makes
the requests before the clock starts, reads each answer to its end, and parses only its status and
length.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from tests.support.api.socket_clients import percentile

STOCK = 300
"""Requests made beforehand, per second and connection; if they run out, more are made."""
GOOD = (200, 201)
EMPTY = (204, 304)


class ClosedLoopResult(NamedTuple):
    """Requests per second, their milliseconds, and the share of a core that the client used."""

    rate: float
    p50: float
    p99: float
    core: float


class ClientConnection:
    """One connection, with one request under way."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests = requests
        self._stock: deque[bytes] = deque()
        self._received, self._length = b"", -1
        self.began = 0.0
        self.status = 0  # of the last answer

    def end(self) -> None:
        self.socket.close()

    def stock(self, count: int) -> None:
        self._stock.extend(islice(self._requests, max(0, count - len(self._stock))))

    def ask(self) -> None:
        request = self._stock.popleft() if self._stock else next(self._requests)
        self._received, self._length = b"", -1
        self.began = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read what has arrived. Return whether the answer is complete.

        Raise AssertionError if the server has hung up."""
        chunk = self.socket.recv(262_144)
        assert chunk, "the server hung up"
        self._received += chunk
        if self._length < 0:
            head = self._received.find(b"\r\n\r\n")
            if head < 0:
                return False
            self.status = int(self._received[9:12])
            head_text = self._received[:head].lower()
            _, _, after = head_text.partition(b"content-length: ")
            body_length = 0 if self.status in EMPTY else int(after.partition(b"\r\n")[0])
            self._length = head + 4 + body_length
        return len(self._received) >= self._length


class ClosedLoopClient:
    """A client of the server on `port`, with one connection for each of the `request_streams`."""

    def __init__(self, port: int, request_streams: Sequence[Iterator[bytes]]) -> None:
        self._connections = [ClientConnection(port, requests) for requests in request_streams]

    def run(self, seconds: float) -> ClosedLoopResult:
        """Let each connection ask again as soon as it is answered, for `seconds`."""
        for connection in self._connections:
            connection.stock(int(STOCK * seconds))
        busy = time.process_time()
        took: list[float] = []
        with select.epoll() as poll:
            by_number = {connection.socket.fileno(): connection for connection in self._connections}
            for number in by_number:
                poll.register(number, select.EPOLLIN)
            began = time.perf_counter()
            until, waiting = began + seconds, len(self._connections)
            for connection in self._connections:
                connection.ask()
            while waiting:
                for number, _ in poll.poll():
                    connection = by_number[number]
                    if connection.receive():
                        assert connection.status in GOOD, connection.status
                        started_at = time.perf_counter()
                        took.append((started_at - connection.began) * 1000)
                        if started_at < until:
                            connection.ask()
                        else:
                            waiting -= 1
            elapsed = time.perf_counter() - began
        core = (time.process_time() - busy) / elapsed
        took.sort()
        return ClosedLoopResult(
            len(took) / elapsed, percentile(took, 0.5), percentile(took, 0.99), core
        )

    def close(self) -> None:
        for connection in self._connections:
            connection.end()
