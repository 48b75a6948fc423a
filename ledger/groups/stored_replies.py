"""What a circle has answered to a key, kept to be answered again: sent twice is done once."""

from uuid import UUID

import msgspec

from ledger.store.append_request import AppendRequest, KeyReused
from ledger.store.connection_pool import Connection

REPLY = """
SELECT request, status, body FROM vola.group_stored_replies
 WHERE group_id = %(group_id)s AND key = %(key)s
"""
STORE_REPLY = """
INSERT INTO vola.group_stored_replies (group_id, key, request, status, body)
VALUES (%(group_id)s, %(key)s, %(request)s, %(status)s, %(body)s)
"""


class GroupReply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it was first given."""

    group_id: UUID
    status: int
    body: bytes
    replayed: bool = False


def stored_reply(db: Connection, group_id: UUID, request: AppendRequest) -> GroupReply | None:
    """What this key was answered, if it was. KeyReused."""
    row = db.execute(REPLY, {"group_id": group_id, "key": request.key}).fetchone()
    if row is None:
        return None
    digest, status, body = row
    if bytes(digest) != request.digest:
        raise KeyReused
    return GroupReply(group_id=group_id, status=status, body=bytes(body), replayed=True)


def store_reply(db: Connection, group_id: UUID, request: AppendRequest, body: bytes) -> GroupReply:
    """Answer with this, now and whenever the key comes again."""
    reply = GroupReply(group_id=group_id, status=request.status, body=body)
    parameters = {
        "group_id": group_id,
        "key": request.key,
        "request": request.digest,
        "status": reply.status,
        "body": reply.body,
    }
    db.execute(STORE_REPLY, parameters)
    return reply
