"""Request bodies on their way in: how much memory they take, by client, and for how long.

Knows neither what they contain nor how they are processed.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # its name for clients

from api.http.problems import Problem

IDLE_SECONDS = 10
"""An upload ends after this long without a byte. Its total time is also this long, plus a second
for each MIN_BYTES_PER_SECOND received, up to MAX_UPLOAD_SECONDS."""
MIN_BYTES_PER_SECOND = 16 * 1024
MAX_UPLOAD_SECONDS = 120
DISCARD_SECONDS = 5
MAX_DISCARDED_BYTES = 32 * 1024 * 1024
"""How much of an unwanted body is discarded, so that its sender can read the response."""

Reserve = Callable[[int], None]


class MemoryBudget:
    """Bytes that one event loop may hold: `total_bytes`, and `client_bytes` of one client."""

    def __init__(
        self, *, total_bytes: int, client_bytes: int, exhausted: Callable[[], Problem]
    ) -> None:
        self._total_limit, self._client_limit = total_bytes, client_bytes
        self._exhausted = exhausted
        self._total = 0
        self._by_client: Counter[str] = Counter()

    @contextmanager
    def reservation(self, client: str) -> Iterator[Reserve]:
        """Yield a function that reserves bytes until the exit. It raises Problem when that is too
        much: 429 for the client, `exhausted` for all of them."""
        reserved = 0

        def reserve(count: int) -> None:
            nonlocal reserved
            reserved, self._total = reserved + count, self._total + count
            self._by_client[client] += count
            if self._by_client[client] > self._client_limit:
                raise Problem(429, "too_many_requests", {"Retry-After": str(IDLE_SECONDS)})
            if self._total > self._total_limit:
                raise self._exhausted()

        try:
            yield reserve
        finally:
            self._total -= reserved
            self._by_client[client] -= reserved
            if not self._by_client[client]:
                del self._by_client[client]


class Upload:
    """The body of a request on its way in over granian's RSGI; `length` as declared, or None."""

    def __init__(self, environ: Mapping[str, Any], proto: Any) -> None:
        self.length = _declared_length(environ)
        self._proto = proto
        self._chunks: AsyncIterator[bytes] | None = None
        self._is_short = self.length is not None and self.length <= MIN_BYTES_PER_SECOND
        self._is_done = self._is_short
        """The body has been read, or its rest need not be discarded."""

    async def receive(self, max_bytes: int, reserve: Reserve) -> bytes | bytearray:
        """Return the body; one byte more than `max_bytes` of a longer one, and nothing of one that
        declares so. Raise Problem 408 when it does not arrive, 400 when it ends before its declared
        length, or the Problem of `reserve`."""
        if self.length is not None and self.length > max_bytes:
            return b""
        try:
            if self._is_short and self.length is not None:
                reserve(self.length)
                async with asyncio.timeout(IDLE_SECONDS):  # the loop wakes once
                    short_body: bytes = await self._proto()
                    return short_body
            body = await self._receive_chunks(max_bytes, reserve)
        except TimeoutError:
            self._is_done = True
            raise Problem(408, "too_slow", {"Connection": "close"}) from None
        except ProtocolClosed:
            raise _cut_short() from None
        if self.length is not None and len(body) < self.length:
            raise _cut_short()
        return body

    async def discard(self) -> None:
        """Receive and drop the rest of the body, for a while: a connection that is closed while the
        client sends takes the response with it."""
        if self._is_done:
            return
        discarded = 0
        with suppress(Exception):  # the client may have gone
            async with asyncio.timeout(DISCARD_SECONDS):
                while discarded <= MAX_DISCARDED_BYTES:
                    chunk = await self._next_chunk()
                    if chunk is None:
                        break
                    discarded += len(chunk)

    async def _receive_chunks(self, max_bytes: int, reserve: Reserve) -> bytearray:
        """Return a long body, or one of undeclared length. Raise TimeoutError."""
        clock, body = asyncio.get_running_loop().time, bytearray()
        started_at = clock()
        async with asyncio.timeout_at(started_at + IDLE_SECONDS) as timeout:
            while (chunk := await self._next_chunk()) is not None:
                reserve(len(chunk))
                body += chunk
                if len(body) > max_bytes:
                    return body[: max_bytes + 1]
                seconds = min(MAX_UPLOAD_SECONDS, IDLE_SECONDS + len(body) // MIN_BYTES_PER_SECOND)
                timeout.reschedule(min(started_at + seconds, clock() + IDLE_SECONDS))
        self._is_done = True
        return body

    async def _next_chunk(self) -> bytes | None:
        """Return the next chunk; None at the end. Granian gives its iterator only once, and crashes
        on an `anext` with a default."""
        self._chunks = self._chunks or aiter(self._proto)
        try:
            return await anext(self._chunks)
        except StopAsyncIteration:
            return None


def _cut_short() -> Problem:
    return Problem(400, "malformed", {"Connection": "close"})


def _declared_length(environ: Mapping[str, Any]) -> int | None:
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    length = environ.get("CONTENT_LENGTH", "0")
    return int(length) if length.isdecimal() and len(length) < 10 else MAX_DISCARDED_BYTES + 1
