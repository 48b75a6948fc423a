"""The log of a group's events: append-only, numbered from 1, each with the hash of the one before.

The caller of an append holds the group's lock (`GroupStore.change`, which also stores the reply by
idempotency key).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple, cast, get_args
from uuid import UUID

import msgspec
from msgspec.structs import asdict
from psycopg.rows import class_row

from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.events.hash_chain import HashedFields
from ledger.groups.current_sessions import SessionsChanged
from ledger.groups.group_events import (
    BalancesImported,
    BankLineReleased,
    BankLineUsed,
    GroupEvent,
    ImportVoided,
    MemberLeft,
    MemberReturned,
    RecordedGroupEvent,
    StoredGroupEvent,
    is_balanced,
    members_of,
)
from ledger.groups.groups import Group, GroupStore
from ledger.groups.open_balances import PlayedSession, load_played_sessions
from ledger.groups.stored_replies import GroupMoment, GroupReply, read_moment
from ledger.store.append_request import AppendRequest
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.event_store import NOW, EventStore

Decide = Callable[[Connection, Group], Sequence[GroupEvent]]
DecideAfterSessions = Callable[[Connection, Group, Sequence[PlayedSession]], Sequence[GroupEvent]]

EVENT_CLASSES: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(GroupEvent)
}

EVENTS = """
SELECT number AS version, type, schema, at, "by", data, hash FROM vola.group_events
 WHERE group_id = %(group_id)s ORDER BY number
"""
HEAD = """
SELECT number, hash, at FROM vola.group_events
 WHERE group_id = %(group_id)s ORDER BY number DESC LIMIT 1
"""
INSERT_EVENT = """
INSERT INTO vola.group_events (group_id, number, type, schema, at, "by", data, hash)
VALUES (%(group_id)s, %(version)s, %(type)s, %(schema)s, %(at)s, %(by)s, %(data)s, %(hash)s)
"""


class UnreadableGroupEvent(Exception):
    """An event that this version of Vola cannot decode; the message names it."""

    def __init__(self, group_id: UUID, event: HashedFields) -> None:
        super().__init__(
            f"Event {event.version} of group {group_id} is one that this Vola does not know "
            f"({event.type}): a newer one may have written it."
        )


def load_stored_events(db: Connection, group_id: UUID) -> list[StoredGroupEvent]:
    """Return the rows of a group in their order, not decoded."""
    cursor = db.cursor(row_factory=class_row(StoredGroupEvent))
    return cursor.execute(EVENTS, {"group_id": group_id}).fetchall()


def load_group_events(db: Connection, group_id: UUID) -> tuple[RecordedGroupEvent, ...]:
    """Return the events of a group in their order; none for an unknown group.
    Raise UnreadableGroupEvent."""
    events: list[RecordedGroupEvent] = []
    for row in load_stored_events(db, group_id):
        try:
            event = decode(row.type, row.schema, row.data)
        except (KeyError, msgspec.DecodeError):
            raise UnreadableGroupEvent(group_id, row) from None
        events.append(RecordedGroupEvent(**asdict(row), event=event))
    return tuple(events)


def decode(kind: str, schema: int, data: str) -> GroupEvent:
    """Return the event of this type, schema version and data. Raise KeyError for an unknown type,
    msgspec.DecodeError for data of another shape."""
    if schema != codec.SCHEMA_VERSION:
        raise KeyError(f"{kind} of schema {schema}")
    return cast(GroupEvent, msgspec.json.decode(data, type=EVENT_CLASSES[kind]))


def append_to_group(
    groups: GroupStore, group_id: UUID, request: AppendRequest, decide: Decide
) -> GroupReply:
    """Append the events that `decide` returns, under the group's lock and once per key. The reply's
    `moment` has every session. Raise UnknownGroup, KeyReused, and what `decide` refuses with."""

    def append(db: Connection, group: Group) -> GroupMoment:
        events = decide(db, group)
        row = db.execute(HEAD, {"group_id": group_id}).fetchone()
        number, previous_hash, latest = row or (0, chain.GENESIS_HASH, 0)
        at = max(fetch_value(db, NOW), latest)  # a clock that was set back must not reverse history
        recorded = record_group_events(
            group_id, events, number=number, previous_hash=previous_hash, at=at, by=request.by
        )
        insert_group_events(db, group_id, recorded)
        return read_moment(db, group_id, len(group.members))

    return groups.change(group_id, request, append)


def append_after_sessions(
    groups: GroupStore,
    store: EventStore,
    group_id: UUID,
    request: AppendRequest,
    decide: DecideAfterSessions,
) -> GroupReply:
    """Append as `append_to_group`, where `decide` gets every session of the group as it stands. It
    runs again if it raises SessionsChanged."""

    def decide_under_lock(db: Connection, group: Group) -> Sequence[GroupEvent]:
        moment = read_moment(db, group_id, len(group.members))
        if [s.version for s in moment.sessions] != [s.version for _, s in played]:
            raise SessionsChanged
        return decide(db, group, played)

    while True:
        # before the group is locked: the holder of a lock must not wait for a connection
        played = load_played_sessions(groups.load(group_id), store.load)
        with suppress(SessionsChanged):
            return append_to_group(groups, group_id, request, decide_under_lock)


def record_group_events(
    group_id: UUID,
    events: Sequence[GroupEvent],
    *,
    number: int,
    previous_hash: bytes,
    at: int,
    by: str,
) -> tuple[RecordedGroupEvent, ...]:
    """Return these events as recorded after the group's event `number`, chained to its hash."""
    recorded: list[RecordedGroupEvent] = []
    for event in events:
        assert is_balanced(event), event
        number += 1
        kind, data = codec.event_type(event), codec.encode(event)
        fields = HashedFields(number, kind, codec.SCHEMA_VERSION, at, by, data)
        previous_hash = hash_group_event(group_id, fields, previous_hash)
        recorded.append(RecordedGroupEvent(**asdict(fields), hash=previous_hash, event=event))
    return tuple(recorded)


def insert_group_events(db: Connection, group_id: UUID, events: Iterable[StoredGroupEvent]) -> None:
    """Write events unchanged, also those of an archive."""
    rows = [{**asdict(event), "group_id": group_id} for event in events]
    with db.cursor() as cursor:
        cursor.executemany(INSERT_EVENT, rows)


def hash_group_event(group_id: UUID, event: HashedFields, previous_hash: bytes) -> bytes:
    """Return the hash of one event of a group."""
    return chain.hash_event(group_id, event, previous_hash, chain.GROUP_DOMAIN)


class EventFault(NamedTuple):
    """What is wrong with one stored event: a code of the audit, and a sentence."""

    number: int
    code: str
    detail: str


def find_faults(
    group_id: UUID, rows: Iterable[StoredGroupEvent], members: Container[str]
) -> Iterator[EventFault]:
    """Yield what is wrong with the events of a group, in their order. `members` has every member of
    the group."""
    expected, previous_hash, latest = 1, chain.GENESIS_HASH, 0
    history = _History()
    for row in rows:
        number = row.version
        if number != expected:
            yield EventFault(number, "hole", f"Event {expected} is missing.")
        if hash_group_event(group_id, row, previous_hash) != row.hash:
            yield EventFault(number, "hash_wrong", "The event does not have its stored hash.")
        if row.at < latest:
            yield EventFault(number, "time_runs_back", "Earlier than the event before.")
        yield from _content_faults(group_id, row, members, history)
        expected, previous_hash, latest = number + 1, row.hash, row.at


def _content_faults(
    group_id: UUID, row: HashedFields, members: Container[str], history: "_History"
) -> Iterator[EventFault]:
    try:
        event = decode(row.type, row.schema, row.data)
        data = codec.encode(event)
    except (KeyError, msgspec.DecodeError, AssertionError, RecursionError):
        sentence = str(UnreadableGroupEvent(group_id, row))
        yield EventFault(row.version, "event_unreadable", sentence)
        return
    if data != row.data:
        yield EventFault(row.version, "event_unreadable", "Its bytes are not the canonical ones.")
    if not is_balanced(event):
        yield EventFault(row.version, "not_zero", "Its amounts do not add up to zero.")
    for member in members_of(event):
        if member not in members:
            yield EventFault(row.version, "group_wrong", f"{member} is no member of the group.")
    if not history.accepts(event):
        detail = "It cannot have happened after what came before it."
        yield EventFault(row.version, "event_impossible", detail)


class _History:
    """What an event can refer to: imports, which are numbered from 1, members who left, and lines
    of a bank that are used."""

    def __init__(self) -> None:
        self.import_count = 0
        self.counted_imports: set[int] = set()
        self.former_members: set[str] = set()
        self.used_lines: set[str] = set()

    def accepts(self, event: GroupEvent) -> bool:
        """Return whether the event can come next, and add it to the history."""
        match event:
            case BalancesImported(number=number, evenings=evenings):
                self.import_count += 1
                self.counted_imports.add(number)
                is_next = number == self.import_count
                return is_next and all(_is_day(evening.date) for evening in evenings)
            case ImportVoided(number=number):
                return _discard(self.counted_imports, number)
            case MemberLeft(member=member):
                return _add(self.former_members, member)
            case MemberReturned(member=member):
                return _discard(self.former_members, member)
            case BankLineUsed(line_sha256=line):
                return _add(self.used_lines, line)
            case BankLineReleased(line_sha256=line):
                return _discard(self.used_lines, line)
            case _:
                return True


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _add(items: set[Any], item: int | str) -> bool:
    """Return whether this changed the set, as `_discard` does."""
    count = len(items)
    items.add(item)
    return len(items) > count


def _discard(items: set[Any], item: int | str) -> bool:
    count = len(items)
    items.discard(item)
    return len(items) < count
