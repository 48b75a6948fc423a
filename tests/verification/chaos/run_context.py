"""What the phones of a run share: the requests in flight, the groups, and the tables."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.verification.chaos.request_history import Writer


class InFlight:
    """The requests in flight and the active faults, to know which fault met which request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._tokens = count(1)
        self.faults: dict[int, str] = {}  # active now

    def begin(self, operation: str) -> None:
        with self._lock:
            self._counts[operation] += 1

    def end(self, operation: str) -> None:
        with self._lock:
            self._counts[operation] -= 1

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return {operation: n for operation, n in self._counts.items() if n}

    def begin_fault(self, kind: str) -> int:
        with self._lock:
            token = next(self._tokens)
            self.faults[token] = kind
            return token

    def end_fault(self, token: int) -> None:
        with self._lock:
            self.faults.pop(token, None)

    def active_faults(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(sorted(set(self.faults.values())))


@dataclass
class Table:
    """An evening that two phones keep score of."""

    session: str
    token: str
    closed: bool = False

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.session}"


@dataclass(frozen=True)
class Group:
    """A group of people who meet again."""

    id: str
    token: str
    session: str = ""  # requests to a group belong to no evening

    @property
    def path(self) -> str:
        return f"/v1/groups/{self.id}"


@dataclass
class Meeting:
    """What two phones share: their group, and the table where they sit now."""

    group: Group | None = None
    table: Table | None = None


@dataclass
class RunContext:
    """What all phones of a run have in common."""

    port: int
    writer: Writer
    in_flight: InFlight
    amounts: Any = field(default_factory=lambda: count(1))  # no two transfers are alike
    stop: threading.Event = field(default_factory=threading.Event)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("inf")

    def end(self, seconds: float) -> None:
        """Stop new requests; those in flight have `seconds` left."""
        self.until = time.monotonic() + seconds
        self.stop.set()

    def count(self, outcome: str, amount: int = 1) -> None:
        with self.lock:
            self.counts[outcome] += amount
