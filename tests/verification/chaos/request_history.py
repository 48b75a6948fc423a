"""What the phones saw: every request with its key, from the first try to the definite answer.

Each request is written to a file as one line when it ends, so that the checks can be run on the
file at any time. Times are of one clock, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import Literal

import msgspec

Outcome = Literal["done", "refused", "unknown"]
"""`unknown`: there was no answer, and the request may or may not have been executed."""

OPENING_OPERATIONS = frozenset({"open_session", "open_group_session"})
"""The operations whose answer names a new session."""


class ReplyEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as it stood in an answer."""

    version: int
    type: str
    hash: str


class Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request, however often it was sent."""

    phone: int
    number: int  # of this phone's requests
    operation: str  # what the phone did, such as open_session, deal, undo or read
    session: str
    key: str  # of a write; empty of a read
    started_at: int
    ended: int
    tries: int
    outcome: Outcome
    status: int = 0
    code: str = ""
    replayed: bool = False
    version: int = 0  # of the answer
    hash: str = ""  # the receipt
    body: str = ""  # a digest of the bytes that were answered
    events: tuple[ReplyEvent, ...] = ()
    faults: tuple[str, ...] = ()  # active while it was sent


class Writer:
    """A writer that appends requests to the file; threads may share it."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._file = path.open("ab")

    def write(self, request: Request) -> None:
        line = msgspec.json.encode(request) + b"\n"
        with self._lock:
            self._file.write(line)

    def close(self) -> None:
        with self._lock:
            self._file.close()


def read_history(path: Path) -> Iterator[Request]:
    decode = msgspec.json.Decoder(Request).decode
    with path.open("rb") as lines:
        for line in lines:
            yield decode(line)


def group_by_session(history: Iterable[Request]) -> dict[str, list[Request]]:
    grouped: dict[str, list[Request]] = {}
    for request in history:
        grouped.setdefault(request.session, []).append(request)
    return grouped
