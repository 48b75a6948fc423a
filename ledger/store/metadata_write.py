"""Writes to what is stored with a session outside its events: once per key, under the stream's
lock, with a stored reply."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ledger.store.append_request import (
    AppendRequest,
    StoredReply,
    check_expected_version,
    read_reply,
)
from ledger.store.append_sql import lock_stream
from ledger.store.connection_pool import Connection, Pool, fetch_value

CONFLICT_VERSION = "SELECT conflict_version FROM vola.heads WHERE session_id = %(session_id)s"
STORE_REPLY = """
INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count, operands)
VALUES (%(session_id)s, %(key)s, %(request)s, %(status)s, %(version)s, 0, %(operands)s)
"""

MetadataChange = Callable[[Connection], dict[str, Any]]
"""Writes in the given transaction; returns the operands of the reply."""


def write_metadata(
    pool: Pool, session_id: UUID, request: AppendRequest, change: MetadataChange
) -> StoredReply:
    """Run `change` in one transaction and store its reply; or return the reply stored for this key.
    Raise UnknownSession, KeyReused, VersionConflict, and whatever `change` refuses with, which
    undoes everything; psycopg.errors.LockNotAvailable if another request holds the stream for too
    long."""
    with pool.connection() as db:
        stream = lock_stream(db, session_id, by=request.by, key=request.key)
        if stored := read_reply(session_id, request, stream.reply):
            return stored
        if isinstance(request.expected_version, int):  # optional: nothing is appended
            conflict_version = fetch_value(db, CONFLICT_VERSION, {"session_id": session_id})
            check_expected_version(request.expected_version, conflict_version, stream.version)
        operands = change(db)
        row_values = {
            "session_id": session_id,
            "key": request.key,
            "request": request.digest,
            "status": request.status,
            "version": stream.version,
            "operands": Jsonb(operands) if operands else None,
        }
        db.execute(STORE_REPLY, row_values)
    return StoredReply(
        session_id=session_id, status=request.status, version=stream.version, operands=operands
    )
