"""The rate limiter: GCRA (generic cell rate algorithm) in memory, independent of HTTP.

For each client it stores the moment at which its quota will be whole again. Above a number of
clients it forgets those not seen for the longest; they start with a whole quota.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

Clock = Callable[[], int]
"""A monotonic clock, in nanoseconds."""
NANOSECONDS = 1_000_000_000
MAX_CLIENTS = 10_000
"""For each quota, some hundred bytes each: a flood of addresses costs two megabytes."""


class Quota(NamedTuple):
    """`limit` requests at once, all of which are regained within `seconds`."""

    name: str
    limit: int
    seconds: int


class QuotaState(NamedTuple):
    """What remains after a request: how many more, and the whole seconds until all have come back,
    or until the next one if this was not `allowed` (1 at least)."""

    quota: Quota
    allowed: bool
    remaining: int
    seconds: int


class RateLimiter:
    """Limits clients by one quota; thread-safe."""

    def __init__(self, quota: Quota, *, clock: Clock = time.monotonic_ns) -> None:
        self.quota, self._clock = quota, clock
        self._interval = quota.seconds * NANOSECONDS // quota.limit
        self._full_at: OrderedDict[str | bytes, int] = OrderedDict()
        self._lock = Lock()

    def consume(self, client: str | bytes) -> QuotaState:
        """Consume one request of the client's quota if there is one; a refusal consumes none."""
        now, burst = self._clock(), self._interval * self.quota.limit
        with self._lock:
            full_at = max(self._full_at.get(client, 0), now)
            allowed = full_at + self._interval - now <= burst
            if allowed:
                full_at += self._interval
            self._full_at[client] = full_at
            self._full_at.move_to_end(client)
            if len(self._full_at) > MAX_CLIENTS:
                self._full_at.popitem(last=False)
        free = now + burst - full_at
        wait = full_at - now if allowed else self._interval - free
        remaining, seconds = max(0, free // self._interval), -(-wait // NANOSECONDS)
        return QuotaState(self.quota, allowed, remaining, seconds)

    def give_back(self, client: str | bytes) -> None:
        """Return one request to the client's quota."""
        with self._lock:
            if client in self._full_at:
                self._full_at[client] -= self._interval
