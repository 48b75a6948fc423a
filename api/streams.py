"""What one listener is told of an evening, and for how long: a stream of server-sent events.

Knows neither who looks for news nor what they are about.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any
from uuid import UUID

from api.answering import close

BEAT_SECONDS = 15
"""A comment goes out so often, for the proxies between."""
LISTEN_SECONDS = 60
"""Until it has to be asked for anew, with a right that still holds."""
NOBODY = b'{"recording":[]}'
"""Writes a deal down."""

Headers = list[tuple[str, str]]


class Stream:
    """What one listener is told: `piece` after `piece`, until it is `over`.

    Iterated, it waits by itself; a server that has something better to do than to wait sets `woken`
    and asks for the next `piece` when it has been woken or `patience` seconds have passed.
    """

    def __init__(self, session_id: UUID, seen: int | None, leave: Callable[["Stream"], None]):
        now = time.monotonic()
        self.session_id = session_id
        self.ends = now + LISTEN_SECONDS * random.uniform(0.9, 1)  # noqa: S311  # not all at once
        self.woken: Callable[[], None] = lambda: None
        self._seen, self._version = seen, 0
        self._told, self._recording = NOBODY if seen is None else b"", NOBODY
        self._beside: str | None = None
        self._again = False
        self._beat = now + BEAT_SECONDS
        self._leave = leave
        self._begun = False

    def hear(self, version: int, recording: bytes = NOBODY, beside: str = "") -> None:
        """The evening has come to this version, these are writing a deal down, and this stands
        beside it: when it changes, there is something to look at without a new version."""
        if (version, recording, beside) != (self._version, self._recording, self._beside):
            self._again |= self._beside not in (None, beside)
            self._version, self._recording, self._beside = version, recording, beside
            self.woken()

    def stop(self) -> None:
        """Whoever listens is told to come again, here or elsewhere."""
        self.ends = 0.0
        self.woken()

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.ends

    @property
    def patience(self) -> float:
        """Seconds until there is something to say even without news."""
        return max(0.0, min(self.ends, self._beat) - time.monotonic())

    def piece(self) -> bytes:
        """What there is to say now; often nothing."""
        said = b""
        if not self._begun:
            self._begun = True
            again = random.randint(500, 1500)  # noqa: S311  # not all at once
            said = b"retry: %d\n\n" % again
        if self._version and (self._again or self._version != self._seen):
            self._again, self._seen = False, self._version
            number = self._version
            said += b'id: %d\nevent: version\ndata: {"version": %d}\n\n' % (number, number)
        if self._version and self._recording != self._told:  # who comes again may believe otherwise
            self._told = self._recording
            said += b"event: recording\ndata: %s\n\n" % self._told
        if not said and time.monotonic() >= self._beat:
            said = b": still here\n\n"
        if said:
            self._beat = time.monotonic() + BEAT_SECONDS
        return said

    def __iter__(self) -> Iterator[bytes]:
        told = threading.Event()
        self.woken = told.set
        while not self.over:
            told.clear()
            if said := self.piece():
                yield said
            told.wait(self.patience)

    def close(self) -> None:
        self._leave(self)


async def send(
    proto: Any, status: int, headers: Headers, stream: Stream, pieces: Iterable[bytes]
) -> None:
    """Send what a stream has to say, until it is over or nobody listens any more: granian's RSGI.
    Then `pieces` are closed, in which it stands."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def woken() -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it everybody who listened
            loop.call_soon_threadsafe(told.set)

    transport = proto.response_stream(status, headers)
    gone = asyncio.ensure_future(proto.client_disconnect())
    gone.add_done_callback(lambda _: told.set())
    stream.woken = woken
    try:
        while not stream.over and not gone.done():
            told.clear()
            if said := stream.piece():
                await transport.send_bytes(said)
            with suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), stream.patience)
    finally:
        gone.cancel()
        close(pieces)
