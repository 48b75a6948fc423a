"""Check of the hash chain: each event has the hash of its bytes, the head the hash of the last.

The stored bytes are hashed as they are; nothing is decoded.
"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import msgspec
from psycopg.types.string import ByteaBinaryLoader

from ledger.audit.findings import Finding
from ledger.events import hash_chain as chain
from ledger.store.connection_pool import Connection

EVENTS_AND_HEAD = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s
 UNION ALL
SELECT version, NULL, NULL, at, NULL, NULL, hash FROM vola.heads WHERE session_id = %(session_id)s
 ORDER BY version
"""
"""The head is the row without a type. A query of its own would take a twentieth of the time."""
ROWS_PER_FETCH = 1000


class OutOfTime(Exception):
    """The audit took too long; `version` is as far as it came."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


class StoredStream(msgspec.Struct, kw_only=True):
    """The stored stream of one session: its version, the last one that was imported, and the hash
    and time of every event. `out_of_time` is called at every event that is folded."""

    version: int = 0
    imported_version: int = 0
    hashes: dict[int, tuple[bytes, int]] = {}
    out_of_time: Callable[[], bool] = lambda: False

    def check_time(self, version: int) -> None:
        """Raise OutOfTime."""
        if self.out_of_time():
            raise OutOfTime(version)


def check_hash_chain(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield findings about the hashes of one session, and fill in `stream` on the way."""
    head = None
    hash_event, hashes = chain.event_hasher(session_id), stream.hashes
    expected, event_hash, latest = 1, chain.GENESIS_HASH, 0
    for number, kind, schema, at, by, data, stored in _events_and_head(db, session_id):
        if kind is None:
            head = number, at, stored
            continue
        if number != expected:
            yield Finding("hole", f"Version {expected} is missing.", number)
            expected = number
        event_hash = hash_event(number, kind, schema, at, by, data, event_hash)
        if event_hash != stored:
            yield Finding("hash_wrong", "The event does not have its stored hash.", number)
            event_hash = stored
        if at < latest:
            yield Finding("time_runs_back", "Earlier than the event before.", number)
        hashes[number] = stored, at
        latest, expected = at, number + 1
    if head is None:
        yield Finding("head_missing", "The session has no head.")
        return
    stream.version, at, digest = head
    if stream.version != expected - 1:
        detail = f"The head says version {stream.version}, the events end at {expected - 1}."
        yield Finding("head_wrong", detail, stream.version)
    if digest != event_hash or at != latest:
        detail = "The head has another hash or time than the last event."
        yield Finding("head_wrong", detail, stream.version)


def _events_and_head(db: Connection, session_id: UUID) -> Iterator[tuple[Any, ...]]:
    """Yield the rows. Text is fetched as bytes, which is what the hash covers and takes three
    fifths of the time."""
    cursor = db.cursor(binary=True)
    cursor.adapters.register_loader("text", ByteaBinaryLoader)
    cursor.execute(EVENTS_AND_HEAD, {"session_id": session_id})
    while rows := cursor.fetchmany(ROWS_PER_FETCH):
        yield from rows
