"""Whether the history is the one that was sealed, event by event, and ends where its head says.

Reads the stored bytes and decodes nothing. Promise: design.md §3, the hash chain.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
from psycopg.types.string import ByteaBinaryLoader

from ledger import chain
from ledger.auditing.findings import Finding, finding
from ledger.database import Connection

HEAD = "SELECT version, acted, at, hash FROM vola.heads WHERE session_id = %(session_id)s"
RAW = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s ORDER BY version
"""
ROWS_AT_ONCE = 1000


class Stream(msgspec.Struct, kw_only=True):
    """What is stored of one evening: where its head stands, and every event's seal and time."""

    version: int = 0
    acted: int = 0
    seals: dict[int, tuple[bytes, int]] = {}


def check(db: Connection, session_id: UUID, stream: Stream) -> Iterator[Finding]:
    """Findings about one evening's seals; fills in `stream` on the way."""
    ask = {"session_id": session_id}
    head = db.execute(HEAD, ask).fetchone()
    sealed, kept = chain.sealing(session_id), stream.seals
    expected, seal, latest = 1, chain.FIRST, 0
    for number, kind, schema, when, by, data, stored in _bytes(db, ask):
        if number != expected:
            yield finding("hole", number, f"Version {expected} is missing.")
            expected = number
        try:
            seal = sealed(number, kind, schema, when, by, data, seal)
        except OverflowError:  # a time before 1970, which only a forger can have written
            seal = b""
        if seal != stored:
            yield finding("seal_broken", number, "The event is not what was sealed.")
            seal = stored
        if when < latest:
            yield finding("time_runs_back", number, "Earlier than the event before.")
        kept[number] = stored, when
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


def _bytes(db: Connection, ask: dict[str, UUID]) -> Iterator[tuple[Any, ...]]:
    """The events as they are stored, many at once; text as its bytes, for they are what is sealed.
    So it takes three fifths of the time."""
    cursor = db.cursor(binary=True)
    cursor.adapters.register_loader("text", ByteaBinaryLoader)
    cursor.execute(RAW, ask)
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield from rows
