"""The statements of an append: lock a stream, write its changes, or both at once.

They are functions of the database (migrations/functions): an append under a lock takes two round
trips, and an append to a session that has not changed since this process cached it takes one.
"""

from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import psycopg

from engine.values import Player
from ledger.events.recorded_event import UnknownSession
from ledger.store import projection_rows
from ledger.store.append_request import AppendRequest, Changes, PlayerName, ReplyRow
from ledger.store.connection_pool import Connection, Cursor
from ledger.store.name_matching import matching_key

LOCK_STREAM = """
SELECT * FROM vola.lock_stream(%(session_id)s, %(by)s, %(key)s, %(with_names)s)
"""
WRITE_CHANGES = "SELECT FROM vola.append(%(session_id)s, %(document)s)"
APPEND_IF_UNCHANGED = """
SELECT * FROM vola.append(
       %(session_id)s, %(document)s, %(version)s, %(hash)s, %(access_version)s, %(with_names)s)
"""

encode = msgspec.json.Encoder().encode


class LockedStream(NamedTuple):
    """A stream that this transaction has locked, and what was read under the lock."""

    version: int
    hash: bytes
    now: int  # the server's clock in microseconds, UTC, once the lock was held
    names: dict[Player, str | None]  # empty if not wanted
    reply: ReplyRow | None  # that is stored for the request's key


def lock_stream(
    db: Connection,
    session_id: UUID,
    *,
    by: str = "",
    key: str | None = None,
    with_names: bool = False,
) -> LockedStream:
    """Lock the stream until the transaction ends. Raise UnknownSession, also if the token of `by`
    was revoked while the request waited."""
    parameters = {"session_id": session_id, "by": by, "key": key, "with_names": with_names}
    row = db.execute(LOCK_STREAM, parameters).fetchone()
    assert row is not None, "a function returns a row"
    version, hash_, now, may_write, names, *reply = row
    if version is None or not may_write:
        raise UnknownSession
    stored = None if reply[0] is None else tuple(reply)
    return LockedStream(version, hash_, now, names or {}, stored)


def write_changes(db: Connection, changes: Changes) -> None:
    """Write events, head, projections, names, remarks and the stored reply in the caller's
    transaction."""
    db.execute(WRITE_CHANGES, _parameters(changes))


def append_if_unchanged(
    db: Connection, changes: Changes, request: AppendRequest
) -> tuple[int, dict[Player, str | None]] | None:
    """Lock and write in one statement, if the session stands as before the changes, the key is
    unused, and no token has ended since the request's was checked. Return the server's clock
    (microseconds) and, if the request asks for them, the players' names; None if a condition fails
    and nothing is written."""
    parameters = _parameters(changes) | {
        "access_version": request.access_version,
        "version": changes.before.version,
        "hash": changes.before.hash,
        "with_names": request.with_names,
    }
    try:
        row = _append_cursor(db).execute(APPEND_IF_UNCHANGED, parameters).fetchone()
    except psycopg.errors.UniqueViolation:  # the key was used before
        return None
    assert row is not None, "a function returns a row"
    now, names = row
    return None if now is None else (now, names or {})


def _append_cursor(db: Connection) -> Cursor:
    """Return the connection's own cursor for this one statement: psycopg keeps with a cursor how it
    converts the parameters and columns of the statement that it executed last."""
    cursor: Cursor | None = getattr(db, "append_cursor", None)
    if cursor is None:
        cursor = db.cursor()
        db.append_cursor = cursor  # type: ignore[attr-defined]
    return cursor


def _parameters(changes: Changes) -> dict[str, Any]:
    """Return the session's id and one JSON document of all rows, as `vola.append` takes it."""
    before, after, recorded, lines, names, remarks, request = changes
    document: dict[str, Any] = {
        "events": [
            (e.version, e.type, e.schema, e.at, e.by, e.data, _hex(e.hash)) for e in recorded
        ],
        **projection_rows.row_changes(before, after, lines),
    }
    if names:
        document["names"] = [_name(name) for name in names]
    if remarks:
        document["remarks"] = [(remark.version, remark.remark) for remark in remarks]
    if request is not None:
        document["stored_reply"] = request.key, _hex(request.digest), request.status
    return {"session_id": after.id, "document": encode(document).decode()}


def _name(name: PlayerName) -> projection_rows.Row:
    key = None if name.name is None else matching_key(name.name)
    salt = None if name.salt is None else _hex(name.salt)
    return name.player, name.name, key, salt


def _hex(content: bytes) -> str:
    """Return bytes as PostgreSQL reads them from text."""
    return "\\x" + content.hex()
