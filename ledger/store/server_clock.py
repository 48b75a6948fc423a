"""An estimate of the database server's clock that costs no round trip."""

from __future__ import annotations

import time
from collections.abc import Callable


class ServerClock:
    """Estimates PostgreSQL's clock, which is the one that counts, from when it was last observed.

    In microseconds since 1970, UTC. `own` is this machine's clock, in nanoseconds.
    """

    def __init__(self, own: Callable[[], int] = time.time_ns) -> None:
        self._own = own
        self._ahead: int | None = None

    def observe(self, now: int) -> None:
        """Note what the server's clock shows now."""
        self._ahead = now - self._own() // 1000

    def estimate(self) -> int | None:
        """Return what the server's clock shows; None before the first observation."""
        return None if self._ahead is None else self._own() // 1000 + self._ahead
