"""What was written of an evening, read back from the book."""

from collections.abc import Iterator
from uuid import UUID

from ledger import codec
from ledger.database import Connection
from ledger.envelope import Recorded, Unreadable

HISTORY = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(after)s AND version <= %(upto)s
 ORDER BY version
"""
ROWS_AT_ONCE = 1000


def history(db: Connection, session_id: UUID, after: int, upto: int) -> Iterator[Recorded]:
    """Stored events, decoded, in order. Unreadable."""
    ask = {"session_id": session_id, "after": after, "upto": upto}
    rows = db.cursor(binary=True).execute(HISTORY, ask)  # many at once, for they are read faster
    while page := rows.fetchmany(ROWS_AT_ONCE):
        for version, kind, schema, at, by, data, digest in page:
            try:
                event = codec.decode(kind, schema, data)
            except KeyError:
                raise Unreadable(session_id, version, kind) from None
            yield Recorded(
                version=version,
                type=kind,
                schema=schema,
                at=at,
                by=by,
                data=data,
                hash=digest,
                event=event,
            )
