"""Many clients in one thread: connections to a running server that ask, stall, or listen.

A connection speaks just enough HTTP/1.1 to control each byte that it sends, and to distinguish a
response from a connection that was cut.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
import uuid
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from tests.support.api.http_client import Answer
from tests.support.player_names import FOUR_PLAYERS

SESSION_BODY = {"game": "polskt_pass", "players": FOUR_PLAYERS, "options": {"stake": 10}}


class ConnectionCut(Exception):
    """The connection ended before the response was complete."""


class Connection:
    """One connection, made by `connect`, which sends one request after another."""

    open_connections: ClassVar[set[Connection]] = set()

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.status, self._last = 0, False
        self.open_connections.add(self)

    @classmethod
    async def connect(cls, url: str, *, narrow: bool = False) -> Connection:
        """Open a connection; with `narrow`, its buffers for unread bytes are small."""
        parts = urlsplit(url)
        raw = socket.socket()
        raw.setblocking(False)
        if narrow:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        await asyncio.get_running_loop().sock_connect(raw, (parts.hostname, parts.port))
        return cls(*await asyncio.open_connection(sock=raw, limit=2**16 if not narrow else 1024))

    async def ask(self, *parts: Any, **options: Any) -> Answer:
        """Send one `request` of these parts, and return the response. ConnectionCut without one."""
        try:
            self.writer.write(request(*parts, **options))
            await self.writer.drain()
            return await self.answer()
        except (OSError, asyncio.IncompleteReadError) as error:
            raise ConnectionCut(repr(error)) from error

    async def answer(self) -> Answer:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        status = int(head[0].split()[1])
        self._last = headers.get("connection") == "close"
        body = b""
        if "content-length" in headers:
            body = await self.reader.readexactly(int(headers["content-length"]))
        return Answer(status, headers, body)

    @property
    def ended(self) -> bool:
        """Return whether the server has announced the end of the connection, or closed it."""
        return self._last or self.reader.at_eof()

    async def chunks(self) -> AsyncIterator[tuple[float, bytes]]:
        """Yield the pieces of a chunked response, with the time of each."""
        while True:
            size = int((await self.reader.readline()).strip() or b"0", 16)
            if size == 0:
                return
            piece = await self.reader.readexactly(size + 2)
            yield time.perf_counter(), piece[:-2]

    async def close(self) -> None:
        self.open_connections.discard(self)
        self.writer.transport.abort()
        with suppress(OSError):
            await self.writer.wait_closed()


T = TypeVar("T")


def run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own, since Playwright leaves an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def run_and_close(clients: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, and close every connection that it has left open."""

    async def run() -> T:
        try:
            return await clients
        finally:
            for connection in list(Connection.open_connections):
                await connection.close()

    return run_in_thread(run())


def request(
    method: str,
    path: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    token: str = "",
) -> bytes:
    """Return the bytes of a request; a request with a body gets an idempotency key of its own."""
    raw = b"" if body is None else json.dumps(body).encode()
    fields = {"Host": "table", "Accept-Language": "en"}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    if body is not None:
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        fields |= {"Idempotency-Key": str(uuid.uuid4())}
    fields |= headers or {}
    lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + raw


async def open_session(connection: Connection, key: str | None = None) -> tuple[str, str]:
    """Open a session. Return its path and the host's token."""
    answer = await connection.ask(
        "POST", "/v1/sessions", SESSION_BODY, {"Idempotency-Key": key} if key else {}
    )
    assert answer.status == 201, answer.raw
    return f"/v1/sessions/{answer.json['id']}", answer.json["tokens"]["host"]


async def stall(url: str, fault: str, stop: asyncio.Event) -> str:
    """Keep one connection busy until `stop` is set, and open another one whenever it is cut.
    `fault`: `silent`, one byte a second of the `head` or the `body`, or `deaf` to a long response.
    Return how the last connection ended."""
    ended = "open"
    while not stop.is_set():
        try:
            connection = await Connection.connect(url, narrow=fault == "deaf")
        except OSError as error:
            ended = repr(error)
            await pause(stop, 0.5)
            continue
        try:
            await _stall_once(connection, fault, stop)
            ended = "open"
        except OSError:
            ended = "hung up"
        finally:
            await connection.close()
    return ended


async def _stall_once(connection: Connection, fault: str, stop: asyncio.Event) -> None:
    beginnings = {
        "silent": b"",
        "head": b"GET /v1/sessions HTTP/1.1\r\nHost: table\r\nX-Slow: ",
        "body": b"POST /v1/sessions HTTP/1.1\r\nHost: table\r\nContent-Type: application/json\r\n"
        b"Idempotency-Key: a body that comes slowly\r\nContent-Length: 1000\r\n\r\n{",
        "deaf": request("GET", "/openapi.yaml") * 20,
    }
    connection.writer.write(beginnings[fault])
    while not await pause(stop, 1):
        if fault in ("head", "body"):
            connection.writer.write(b"x")
            await connection.writer.drain()
            if connection.reader.at_eof() or (fault == "body" and connection.reader._buffer):  # type: ignore[attr-defined]
                return  # the server has answered that it is too slow


async def pause(stop: asyncio.Event, seconds: float) -> bool:
    """Wait until `stop` is set, for at most `seconds`. Return whether it is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()


def percentile(sorted_times: list[float], part: float) -> float:
    """Return a percentile, by the nearest rank."""
    return sorted_times[min(len(sorted_times) - 1, int(len(sorted_times) * part))]
