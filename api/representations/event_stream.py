"""Server-sent events: the stream of one client."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from uuid import UUID

HEARTBEAT_SECONDS = 15
"""Between two comments, which keep proxies from closing a silent connection."""
STREAM_SECONDS = 60
"""Until the client has to open a new stream, with a token that is still valid."""
NO_PRESENCE = b'{"presence":[]}'
"""The `presence` event while no device is entering a deal."""


class EventStream:
    """The events of one client, chunk after chunk until `is_over`.

    Iterating it blocks between chunks. A server that can do better sets `wake` and asks for the
    next chunk when that is called or `wait_seconds` have passed.
    """

    def __init__(
        self, session_id: UUID, seen_version: int | None, on_close: Callable[["EventStream"], None]
    ) -> None:
        now = time.monotonic()
        self.session_id = session_id
        lifetime = STREAM_SECONDS * random.uniform(0.9, 1)  # noqa: S311  # not all at once
        self.ends_at = now + lifetime
        self.wake: Callable[[], None] = lambda: None
        self._sent_version, self._version = seen_version, 0
        self._sent_presence = NO_PRESENCE if seen_version is None else b""
        self._presence = NO_PRESENCE
        self._metadata_stamp: str | None = None
        self._metadata_changed = False
        self._heartbeat_at = now + HEARTBEAT_SECONDS
        self._on_close = on_close
        self._has_begun = False

    def publish(self, version: int, presence: bytes, metadata_stamp: str) -> None:
        """Set what there is to send: the session's version, who is entering a deal, and a stamp of
        its metadata, whose change is sent as the same version again."""
        news = (version, presence, metadata_stamp)
        if news != (self._version, self._presence, self._metadata_stamp):
            self._metadata_changed |= self._metadata_stamp not in (None, metadata_stamp)
            self._version, self._presence, self._metadata_stamp = news
            self.wake()

    def stop(self) -> None:
        """End the stream; the client opens a new one, here or at another server."""
        self.ends_at = 0.0
        self.wake()

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.ends_at

    @property
    def wait_seconds(self) -> float:
        """Seconds until there is something to send even without news."""
        return max(0.0, min(self.ends_at, self._heartbeat_at) - time.monotonic())

    def next_chunk(self) -> bytes:
        """Return what there is to send now; often nothing."""
        chunk = b""
        if not self._has_begun:
            self._has_begun = True
            retry_ms = random.randint(500, 1500)  # noqa: S311  # not all at once
            chunk = b"retry: %d\n\n" % retry_ms
        if self._version and (self._metadata_changed or self._version != self._sent_version):
            self._metadata_changed, self._sent_version = False, self._version
            version = self._version
            chunk += b'id: %d\nevent: version\ndata: {"version": %d}\n\n' % (version, version)
        if self._version and self._presence != self._sent_presence:  # a returning client may differ
            self._sent_presence = self._presence
            chunk += b"event: presence\ndata: %s\n\n" % self._sent_presence
        if not chunk and time.monotonic() >= self._heartbeat_at:
            chunk = b": still here\n\n"
        if chunk:
            self._heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        return chunk

    def __iter__(self) -> Iterator[bytes]:
        news = threading.Event()
        self.wake = news.set
        while not self.is_over:
            news.clear()
            if chunk := self.next_chunk():
                yield chunk
            news.wait(self.wait_seconds)

    def close(self) -> None:
        self._on_close(self)
