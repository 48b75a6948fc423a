"""Whether the history is the one that was sealed, event by event, and ends where its head says.

Reads the stored bytes and decodes nothing. Promise: design.md §3, the hash chain.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger import chain
from ledger.auditing.findings import Finding, finding
from ledger.database import Connection

HEAD = "SELECT version, acted, at, hash FROM vola.heads WHERE session_id = %(session_id)s"
RAW = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s ORDER BY version
"""


class Stream(msgspec.Struct, kw_only=True):
    """What is stored of one evening: where its head stands, and every event's seal and time."""

    version: int = 0
    acted: int = 0
    seals: dict[int, tuple[bytes, int]] = {}


def check(db: Connection, session_id: UUID, stream: Stream) -> Iterator[Finding]:
    """Findings about one evening's seals; fills in `stream` on the way."""
    ask = {"session_id": session_id}
    head = db.execute(HEAD, ask).fetchone()
    expected, seal, latest = 1, chain.FIRST, 0
    for row in db.execute(RAW, ask):
        number, when, stored = row[0], row[3], bytes(row[6])
        if number != expected:
            yield finding("hole", number, f"Version {expected} is missing.")
            expected = number
        seal = _sealed(session_id, row, seal)
        if seal != stored:
            yield finding("seal_broken", number, "The event is not what was sealed.")
            seal = stored
        if when < latest:
            yield finding("time_runs_back", number, "Earlier than the event before.")
        stream.seals[number] = stored, when
        latest, expected = when, number + 1
    if head is None:
        yield Finding(code="head_missing", detail="The session has no head.")
        return
    stream.version, stream.acted, at, digest = head
    if stream.version != expected - 1:
        detail = f"The head says version {stream.version}, the events end at {expected - 1}."
        yield finding("head_wrong", stream.version, detail)
    if bytes(digest) != seal or at != latest:
        yield finding("head_wrong", stream.version, "The head is not the last event's.")


def _sealed(session_id: UUID, row: tuple[Any, ...], before: bytes) -> bytes:
    """The seal that this event should have; none that could be stored if it can have none."""
    number, kind, schema, when, by, data, _ = row
    try:
        return chain.seal(
            session_id=session_id,
            version=number,
            kind=kind,
            schema=schema,
            at=when,
            by=by,
            data=data,
            before=before,
        )
    except OverflowError:  # a time before 1970, which only a forger can have written
        return b""
