"""Groups written straight into a store, without HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from ledger.groups.group_event_log import append_to_group, load_group_events
from ledger.groups.group_events import GroupEvent, RecordedGroupEvent
from ledger.groups.groups import GroupStore
from ledger.groups.stored_replies import GroupReply
from ledger.store.connection_pool import Pool
from tests.support.ledger.store_session import make_request
from tests.support.player_names import FIVE_NAMES


def create_group(pool: Pool) -> UUID:
    """Return a new group of Ada, Bo, Cilla, Disa and Emil."""
    group_id = uuid4()
    GroupStore(pool).create(make_request(), group_id, "Torsdagar", FIVE_NAMES)
    return group_id


def append_events(
    pool: Pool, group_id: UUID, events: Sequence[GroupEvent], key: str | None = None
) -> GroupReply:
    """Append events to a group as a resource does: under its lock, once per key."""
    return append_to_group(GroupStore(pool), group_id, make_request(key), lambda *_: events)


def load_events(pool: Pool, group_id: UUID) -> tuple[RecordedGroupEvent, ...]:
    with pool.connection() as db:
        return load_group_events(db, group_id)
