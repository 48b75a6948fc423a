"""Replies to changes of a group, stored by idempotency key."""

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
    """The reply to a request, as it was first given."""

    group_id: UUID
    status: int
    body: bytes
    replayed: bool = False


def stored_reply(db: Connection, group_id: UUID, request: AppendRequest) -> GroupReply | None:
    """Return the reply stored for this key, if there is one. KeyReused."""
    row = db.execute(REPLY, {"group_id": group_id, "key": request.key}).fetchone()
    if row is None:
        return None
    digest, status, body = row
    if bytes(digest) != request.digest:
        raise KeyReused
    return GroupReply(group_id=group_id, status=status, body=bytes(body), replayed=True)


def store_reply(db: Connection, group_id: UUID, request: AppendRequest, body: bytes) -> GroupReply:
    """Store and return the reply to a request."""
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
