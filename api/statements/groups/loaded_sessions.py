"""Load what a group's statement is made of, the sessions and the group's own events: as they stand
now, or as far as an earlier statement went (`GroupExtent`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from api.statements.line_marks import LineMarks, load_line_marks
from ledger.groups.group_event_log import load_group_events
from ledger.groups.group_events import BalancesImported, GroupTransferRecorded, RecordedGroupEvent
from ledger.groups.groups import Group, GroupSession
from ledger.reporting.journal_query import FOREVER
from ledger.session.session_state import SessionState
from ledger.store.event_store import EventStore


class LoadedSession(NamedTuple):
    """A session as the group has it, and as its events have it, without its deals."""

    group_session: GroupSession
    session: SessionState
    marks: LineMarks


class GroupExtent(msgspec.Struct, frozen=True, kw_only=True):
    """How far a statement of a group goes: to a time, and to numbers where they are known, since a
    clock that was set back gives what is recorded later an earlier time."""

    as_of: int = FOREVER  # microseconds
    session_count: int | None = None  # no session that was added later
    event_count: int | None = None  # of the group's own events
    versions: Mapping[UUID, int] = {}  # of sessions


WHOLE_GROUP = GroupExtent()
"""The extent of a group as it stands."""


def load_sessions(
    group: Group, store: EventStore, end: int, extent: GroupExtent
) -> list[LoadedSession]:
    """Return the sessions for money that began before `end`, the oldest first, as far as the
    statement goes; without their deals."""
    sessions = []
    for group_session in group.sessions:
        version = extent.versions.get(group_session.session_id)
        if version is None and extent.as_of != FOREVER:
            version = store.version_at(group_session.session_id, extent.as_of)
            if version is None:
                continue  # it had not begun
        session = store.load(group_session.session_id, version)
        if session.is_for_money and session.opened_at < end:
            sessions.append(_loaded_session(group_session, session, store))
    return sorted(sessions, key=lambda x: (x.session.opened_at, x.group_session.number))


def load_events_within(
    group: Group, store: EventStore, extent: GroupExtent
) -> tuple[RecordedGroupEvent, ...]:
    """Return the group's own events, as far as `extent` goes."""
    with store.pool.connection() as db:
        events = load_group_events(db, group.id)
    return tuple(
        recorded for recorded in events[: extent.event_count] if recorded.at <= extent.as_of
    )


def as_at_one_time(
    sessions: Sequence[LoadedSession], events: Sequence[RecordedGroupEvent], store: EventStore
) -> Iterator[LoadedSession]:
    """Yield the sessions as they stood at the latest time among all. One may have gone on while
    others were loaded, and the statement must be the same when it is made again as of its time."""
    times = (*(loaded.session.at for loaded in sessions), *(recorded.at for recorded in events))
    latest = max(times, default=0)
    for loaded in sessions:
        session_id = loaded.session.id
        version = store.version_at(session_id, latest)
        if version == loaded.session.version:
            yield loaded
        else:
            session = store.load(session_id, version)
            yield _loaded_session(loaded.group_session, session, store)


def all_currencies(group: Group, store: EventStore) -> list[str]:
    """Return the currency of every session for money and of every event of the group, whenever it
    was; the latest first, and sessions before events."""
    opened = (store.load(session.session_id, 1) for session in reversed(group.sessions))
    currencies = [session.opening.currency for session in opened if session.is_for_money]
    events = (
        recorded.event for recorded in reversed(load_events_within(group, store, WHOLE_GROUP))
    )
    return currencies + [
        event.currency
        for event in events
        if isinstance(event, GroupTransferRecorded | BalancesImported)
    ]


def _loaded_session(
    group_session: GroupSession, session: SessionState, store: EventStore
) -> LoadedSession:
    slim = msgspec.structs.replace(session, deals=None, effective_lines=None)
    return LoadedSession(group_session, slim, load_line_marks(store.pool, session))
