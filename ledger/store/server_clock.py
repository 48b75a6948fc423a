"""The book's clock as a process knows it that does not ask for the time each time."""

from __future__ import annotations

import time
from collections.abc import Callable


class ServerClock:
    """PostgreSQL's clock is the one that counts; this says what it shows, as far as it was heard.

    In microseconds since 1970, UTC. `own`: this machine's, in nanoseconds.
    """

    def __init__(self, own: Callable[[], int] = time.time_ns) -> None:
        self._own = own
        self._ahead: int | None = None

    def observe(self, now: int) -> None:
        """The book's clock has just shown this."""
        self._ahead = now - self._own() // 1000

    def estimate(self) -> int | None:
        """What it shows; None before it has been heard of."""
        return None if self._ahead is None else self._own() // 1000 + self._ahead
