"""Groups written straight into a store, without HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from ledger.groups.group_event_log import append_group_events, load_group_events
from ledger.groups.group_events import GroupEvent, RecordedGroupEvent
from ledger.groups.groups import Group, GroupStore
from ledger.groups.stored_replies import GroupMoment, GroupReply, read_moment
from ledger.store.connection_pool import Connection, Pool
from tests.support.ledger.store_session import NAMES, request


def create_group(pool: Pool) -> UUID:
    """Return a new group of Ada, Bo, Cilla, Disa and Emil."""
    group_id = uuid4()
    GroupStore(pool).create(request(), group_id, "Torsdagar", NAMES)
    return group_id


def append_events(
    pool: Pool, group_id: UUID, events: Sequence[GroupEvent], key: str | None = None
) -> GroupReply:
    """Append events to a group as a resource does: under its lock, once per key."""

    def append(db: Connection, group: Group) -> GroupMoment:
        append_group_events(db, group_id, events, by="host.0")
        return read_moment(db, group_id, len(group.members))

    return GroupStore(pool).change(group_id, request(key), append)


def stored_events(pool: Pool, group_id: UUID) -> tuple[RecordedGroupEvent, ...]:
    with pool.connection() as db:
        return load_group_events(db, group_id)
