"""The statements of an append: lock a stream, write its changes, or both at once.

They are functions of the database (migrations/functions), so that an append under a lock takes two
round trips, and one to a session that stands as this process remembers it takes one.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from engine.values import Player
from ledger.store import projection_rows
from ledger.store.append_request import PlayerName
from ledger.store.changes import Changes
from ledger.store.connection_pool import Connection
from ledger.store.name_matching import matching_key

LOCK_STREAM = "SELECT * FROM vola.lock_stream(%(session_id)s, %(by)s, %(key)s, %(with_names)s)"
WRITE_CHANGES = "SELECT vola.write_changes(%(session_id)s, %(document)s, %(body)s)"
APPEND_IF_UNCHANGED = """
SELECT vola.append_if_unchanged(
       %(session_id)s, %(by)s, %(version)s, %(hash)s, %(names)s, %(document)s, %(body)s)
"""

encode = msgspec.json.Encoder().encode


class LockedStream(NamedTuple):
    """A stream that this transaction has locked, and what was read under the lock."""

    version: int
    hash: bytes
    now: int  # the server's clock in microseconds, UTC, once the lock was held
    may_write: bool  # whether the request's token is still valid
    request: bytes | None  # digest of the request that this key was used for
    status: int | None  # … and its stored reply
    reply_version: int | None
    body: bytes | None
    names: dict[Player, str | None] | None


def lock_stream(
    db: Connection,
    session_id: UUID,
    *,
    by: str = "",
    key: str | None = None,
    with_names: bool = False,
) -> LockedStream | None:
    """Lock the stream until the transaction ends. None if there is no such session."""
    parameters = {"session_id": session_id, "by": by, "key": key, "with_names": with_names}
    row = db.execute(LOCK_STREAM, parameters).fetchone()
    assert row is not None, "a function returns a row"
    return None if row[0] is None else LockedStream(*row)


def write_changes(db: Connection, changes: Changes) -> None:
    """Write events, head, projections, names, remarks and the stored reply in the caller's
    transaction."""
    db.execute(WRITE_CHANGES, _parameters(changes))


def append_if_unchanged(
    db: Connection, changes: Changes, by: str, names: dict[Player, str | None] | None
) -> int | None:
    """Lock and write in one statement, if the session stands as before the changes, the players are
    called as in `names` (unless None), the key is unused, and the token may still write. Return the
    server's clock; None if anything was otherwise and nothing was written."""
    expected = {
        "by": by,
        "version": changes.before.version,
        "hash": changes.before.hash,
        "names": None if names is None else encode(names).decode(),
    }
    row = db.execute(APPEND_IF_UNCHANGED, _parameters(changes) | expected).fetchone()
    assert row is not None, "a function returns a row"
    return None if row[0] is None else int(row[0])


def _parameters(changes: Changes) -> dict[str, Any]:
    """Return the session's id, one JSON document of rows, and the bytes of the stored reply."""
    before, after, recorded, lines, names, remarks, reply = changes
    document: dict[str, Any] = {
        "events": [event.columns(_hex(event.hash)) for event in recorded],
        "head": {
            "version": after.version,
            "conflict_version": after.conflict_version,
            "at": after.at,
            "hash": _hex(after.hash),
        },
        **projection_rows.row_changes(before, after, lines),
    }
    if not before.version:
        document["new_stream"] = True
    if names:
        document["names"] = [_name(name) for name in names]
    if remarks:
        document["remarks"] = [
            {"version": version, "remark": remark} for version, remark in remarks
        ]
    body = None
    if reply is not None:
        request, stored = reply
        digest = _hex(request.digest)
        document["stored_reply"] = {"key": request.key, "request": digest, "status": stored.status}
        body = stored.body
    return {"session_id": after.id, "document": encode(document).decode(), "body": body}


def _name(name: PlayerName) -> dict[str, Any]:
    return {
        "player_id": name.player,
        "name": name.name,
        "matching_key": None if name.name is None else matching_key(name.name),
        "salt": None if name.salt is None else _hex(name.salt),
    }


def _hex(content: bytes) -> str:
    """Return bytes as PostgreSQL reads them from text."""
    return "\\x" + content.hex()
