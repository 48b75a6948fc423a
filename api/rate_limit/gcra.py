"""How much somebody may do in a while, kept in memory: some at once, then as fast as it comes back.

The rule is GCRA: one moment for each of them, at which everything he has used will have come back.
Knows nothing of requests, and forgets whoever was not heard of for the longest when there are too
many to remember; who is forgotten begins anew.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

NANOSECONDS = 1_000_000_000
MOST_KNOWN = 10_000
"""So many for each quota, some hundred bytes each: a flood of addresses costs two megabytes."""


class Quota(NamedTuple):
    """`most` at once, all of which come back within `seconds`."""

    name: str
    most: int
    seconds: int

    def times(self, factor: int) -> "Quota":
        """So many times as much in the same while."""
        return self._replace(most=self.most * factor)


class Left(NamedTuple):
    """What is left after one was asked for: how many, and how long to wait for one (whole seconds,
    1 at least, when it was not `allowed`), or until all have come back."""

    quota: Quota
    allowed: bool
    left: int
    seconds: int


class Meter:
    """Measures everybody by one quota. Threads may share it. `clock`: nanoseconds, only forward."""

    def __init__(
        self,
        quota: Quota,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        most_known: int = MOST_KNOWN,
    ) -> None:
        self.quota, self._clock, self._most_known = quota, clock, most_known
        self._each = quota.seconds * NANOSECONDS // quota.most
        self._whole_at = OrderedDict[str | bytes, int]()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._whole_at)

    def take(self, who: str | bytes) -> Left:
        """One, if there is one. Who is refused has taken nothing: waiting is enough."""
        now, burst = self._clock(), self._each * self.quota.most
        with self._lock:
            whole_at = max(self._whole_at.get(who, 0), now)
            allowed = whole_at + self._each - now <= burst
            if allowed:
                whole_at += self._each
            self._remember(who, whole_at)
        free = now + burst - whole_at
        wait = whole_at - now if allowed else self._each - free
        return Left(self.quota, allowed, max(0, free // self._each), -(-wait // NANOSECONDS))

    def give_back(self, who: str | bytes) -> None:
        """What was taken was not used after all."""
        with self._lock:
            if who in self._whole_at:
                self._whole_at[who] -= self._each

    def _remember(self, who: str | bytes, whole_at: int) -> None:
        self._whole_at[who] = whole_at
        self._whole_at.move_to_end(who)
        if len(self._whole_at) > self._most_known:
            self._whole_at.popitem(last=False)
