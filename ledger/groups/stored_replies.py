"""Replies to changes of a group, stored by idempotency key.

A group has no version. What a reply shows is rendered again from how many members and events the
group had, and from the version and the players of each session.
"""

from typing import Any
from uuid import UUID

import msgspec
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from engine.values import Player
from ledger.store.append_request import AppendRequest, KeyReused
from ledger.store.connection_pool import Connection, fetch_value

REPLY = """
SELECT request, status, operands FROM vola.group_stored_replies
 WHERE group_id = %(group_id)s AND key = %(key)s
"""
SESSION_MOMENTS = """
SELECT e.session_id AS session, h.version,
       coalesce((SELECT jsonb_object_agg(a.player_id, a.member_id) FROM vola.attendance a
                  WHERE a.session_id = e.session_id), '{}') AS members
  FROM vola.group_sessions e JOIN vola.heads h ON h.session_id = e.session_id
 WHERE e.group_id = %(group_id)s ORDER BY e.number
"""
EVENT_COUNT = "SELECT count(*) FROM vola.group_events WHERE group_id = %(group_id)s"
STORE_REPLY = """
INSERT INTO vola.group_stored_replies (group_id, key, request, status, operands)
VALUES (%(group_id)s, %(key)s, %(request)s, %(status)s, %(operands)s)
"""


class SessionMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the group as it stood: its version, and which member was which player."""

    session: UUID
    version: int
    members: dict[Player, str]


class GroupMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A group as it stood after a write: how many members and events of its own it had, and its
    sessions so far. The operands of a reply; without sessions where the reply shows none."""

    members: int = 0
    events: int = 0
    sessions: tuple[SessionMoment, ...] = ()


class GroupReply(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored under a request's key, so that its reply can be rendered again."""

    group_id: UUID
    status: int
    operands: dict[str, Any]
    replayed: bool = False

    @property
    def moment(self) -> GroupMoment:
        return msgspec.convert(self.operands, GroupMoment)


def read_moment(db: Connection, group_id: UUID, member_count: int) -> GroupMoment:
    """Return the group as it stands in this transaction."""
    cursor = db.cursor(row_factory=class_row(SessionMoment))
    sessions = tuple(cursor.execute(SESSION_MOMENTS, {"group_id": group_id}))
    event_count: int = fetch_value(db, EVENT_COUNT, {"group_id": group_id})
    return GroupMoment(members=member_count, events=event_count, sessions=sessions)


def read_reply(db: Connection, group_id: UUID, request: AppendRequest) -> GroupReply | None:
    """Return the reply stored for this key, if there is one. Raise KeyReused."""
    row = db.execute(REPLY, {"group_id": group_id, "key": request.key}).fetchone()
    if row is None:
        return None
    digest, status, operands = row
    if digest != request.digest:
        raise KeyReused
    return GroupReply(group_id=group_id, status=status, operands=operands, replayed=True)


def store_reply(
    db: Connection, group_id: UUID, request: AppendRequest, operands: msgspec.Struct
) -> GroupReply:
    """Store and return the reply to a request."""
    content = msgspec.to_builtins(operands)
    parameters = {
        "group_id": group_id,
        "key": request.key,
        "request": request.digest,
        "status": request.status,
        "operands": Jsonb(content),
    }
    db.execute(STORE_REPLY, parameters)
    return GroupReply(group_id=group_id, status=request.status, operands=content)
