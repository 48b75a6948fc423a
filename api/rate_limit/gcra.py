"""The rate limiter: GCRA (generic cell rate algorithm) in memory, independent of HTTP.

For each client it stores one moment, at which its quota will be whole again. Of too many clients
it forgets those that were not seen for the longest; they start with a whole quota.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

NANOSECONDS = 1_000_000_000
MAX_CLIENTS = 10_000
"""For each quota, some hundred bytes each: a flood of addresses costs two megabytes."""


class Quota(NamedTuple):
    """`most` requests at once, all of which are regained within `seconds`."""

    name: str
    most: int
    seconds: int

    def times(self, factor: int) -> "Quota":
        """Return a quota of `factor` times as much in the same time."""
        return self._replace(most=self.most * factor)


class QuotaState(NamedTuple):
    """What is left after one was asked for: how many, and how long to wait for one (whole seconds,
    1 at least, when it was not `allowed`), or until all have come back."""

    quota: Quota
    allowed: bool
    left: int
    seconds: int


class RateLimiter:
    """Limits clients by one quota; thread-safe. `clock`: monotonic, in nanoseconds."""

    def __init__(
        self,
        quota: Quota,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        most_known: int = MAX_CLIENTS,
    ) -> None:
        self.quota, self._clock, self._most_known = quota, clock, most_known
        self._each = quota.seconds * NANOSECONDS // quota.most
        self._whole_at = OrderedDict[str | bytes, int]()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._whole_at)

    def take(self, who: str | bytes) -> QuotaState:
        """Take one request from the client's quota if there is one; a refusal takes nothing."""
        now, burst = self._clock(), self._each * self.quota.most
        with self._lock:
            whole_at = max(self._whole_at.get(who, 0), now)
            allowed = whole_at + self._each - now <= burst
            if allowed:
                whole_at += self._each
            self._remember(who, whole_at)
        free = now + burst - whole_at
        wait = whole_at - now if allowed else self._each - free
        return QuotaState(self.quota, allowed, max(0, free // self._each), -(-wait // NANOSECONDS))

    def give_back(self, who: str | bytes) -> None:
        """Return one request to the client's quota."""
        with self._lock:
            if who in self._whole_at:
                self._whole_at[who] -= self._each

    def _remember(self, who: str | bytes, whole_at: int) -> None:
        self._whole_at[who] = whole_at
        self._whole_at.move_to_end(who)
        if len(self._whole_at) > self._most_known:
            self._whole_at.popitem(last=False)
