"""A client that costs little, so that what is measured is the server: one process, any number of
connections, requests made before the clock starts, answers read to their end and looked at for
their status only.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from tests.support.api.socket_clients import share

STOCK = 300
"""Requests a second and connection that are made beforehand; more are made when it was more."""
GOOD = (200, 201)
EMPTY = (204, 304)


class LoadResult(NamedTuple):
    """Requests a second, their milliseconds, and how much of a core the client took."""

    rate: float
    p50: float
    p99: float
    core: float


class Line:
    """One connection, with one request under way."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests, self._stock = requests, deque[bytes]()
        self._said, self._length = b"", -1
        self.began = 0.0
        self.status = 0  # of the answer that was heard last

    def end(self) -> None:
        self.socket.close()

    def stock(self, count: int) -> None:
        self._stock.extend(islice(self._requests, max(0, count - len(self._stock))))

    def ask(self) -> None:
        request = self._stock.popleft() if self._stock else next(self._requests)
        self._said, self._length = b"", -1
        self.began = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Whether the answer is whole. AssertionError when the server has hung up."""
        chunk = self.socket.recv(262_144)
        assert chunk, "the server hung up"
        self._said += chunk
        if self._length < 0:
            head = self._said.find(b"\r\n\r\n")
            if head < 0:
                return False
            self.status = int(self._said[9:12])
            head_text = self._said[:head].lower()
            _, _, after = head_text.partition(b"content-length: ")
            said_length = 0 if self.status in EMPTY else int(after.partition(b"\r\n")[0])
            self._length = head + 4 + said_length
        return len(self._said) >= self._length


class Caller:
    """Asks the server on `port` by as many connections as there are `lines` of requests."""

    def __init__(self, port: int, lines: Sequence[Iterator[bytes]]) -> None:
        self._lines = [Line(port, requests) for requests in lines]

    def ask(self, seconds: float) -> LoadResult:
        """Each connection asks as soon as it has been answered, for so long."""
        for line in self._lines:
            line.stock(int(STOCK * seconds))
        took, busy = list[float](), time.process_time()
        with select.epoll() as poll:
            by_number = {line.socket.fileno(): line for line in self._lines}
            for number in by_number:
                poll.register(number, select.EPOLLIN)
            began = time.perf_counter()
            until, waiting = began + seconds, len(self._lines)
            for line in self._lines:
                line.ask()
            while waiting:
                for number, _ in poll.poll():
                    line = by_number[number]
                    if line.receive():
                        assert line.status in GOOD, line.status
                        started_at = time.perf_counter()
                        took.append((started_at - line.began) * 1000)
                        if started_at < until:
                            line.ask()
                        else:
                            waiting -= 1
            elapsed = time.perf_counter() - began
        core = (time.process_time() - busy) / elapsed
        took.sort()
        return LoadResult(len(took) / elapsed, share(took, 0.5), share(took, 0.99), core)

    def close(self) -> None:
        for line in self._lines:
            line.end()
