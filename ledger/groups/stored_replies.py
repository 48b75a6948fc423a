"""What a circle has answered to a key, kept to be answered again: sent twice is done once."""

from uuid import UUID

import msgspec

from ledger.database import Connection
from ledger.writing import KeyReused, Request

REPLY = """
SELECT request, status, body FROM vola.circle_replies
 WHERE circle_id = %(circle_id)s AND key = %(key)s
"""
KEEP = """
INSERT INTO vola.circle_replies (circle_id, key, request, status, body)
VALUES (%(circle_id)s, %(key)s, %(request)s, %(status)s, %(body)s)
"""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it was first given."""

    circle_id: UUID
    status: int
    body: bytes
    replayed: bool = False


def given(db: Connection, circle_id: UUID, request: Request) -> Answered | None:
    """What this key was answered, if it was. KeyReused."""
    row = db.execute(REPLY, {"circle_id": circle_id, "key": request.key}).fetchone()
    if row is None:
        return None
    digest, status, body = row
    if bytes(digest) != request.digest:
        raise KeyReused
    return Answered(circle_id=circle_id, status=status, body=bytes(body), replayed=True)


def keep(db: Connection, circle_id: UUID, request: Request, body: bytes) -> Answered:
    """Answer with this, now and whenever the key comes again."""
    made = Answered(circle_id=circle_id, status=request.status, body=body)
    kept = {"circle_id": circle_id, "key": request.key, "request": request.digest}
    db.execute(KEEP, {**kept, "status": made.status, "body": made.body})
    return made
