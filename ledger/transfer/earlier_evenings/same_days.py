"""Evenings of a file that may be in the group's book already, because it has another evening of the
same day. They are imported all the same, with a warning: people do play twice in a day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from ledger.events.timestamps import to_datetime
from ledger.groups.groups import Group, GroupSession
from ledger.store.connection_pool import Connection
from ledger.transfer.earlier_evenings.balance_import import BalanceImport
from ledger.transfer.earlier_evenings.evenings import EarlierEvening

SESSION_STARTS = """
SELECT session_id, at FROM vola.events WHERE session_id = ANY(%(session_ids)s) AND version = 1
"""

SessionsByDay = Mapping[str, Sequence[GroupSession]]
"""The sessions of a group by the day on which they were opened, as `2026-11-24`."""


class SameDay(msgspec.Struct, frozen=True, kw_only=True):
    """An evening of a file, and a session of its day, or else an import with one."""

    evening: EarlierEvening
    session: GroupSession | None = None
    import_number: int | None = None


def sessions_by_day(db: Connection, group: Group, zone: ZoneInfo) -> SessionsByDay:
    """Return the group's sessions in their order, by their day in this time zone."""
    session_ids = [session.session_id for session in group.sessions]
    starts: dict[UUID, int] = dict(
        db.execute(SESSION_STARTS, {"session_ids": session_ids}).fetchall()
    )
    by_day: defaultdict[str, list[GroupSession]] = defaultdict(list)
    for session in group.sessions:
        start = to_datetime(starts[session.session_id]).astimezone(zone)
        by_day[start.date().isoformat()].append(session)
    return by_day


def find_same_days(
    evenings: Iterable[EarlierEvening], sessions: SessionsByDay, imports: Iterable[BalanceImport]
) -> Iterator[SameDay]:
    """Yield the evenings with results whose day the group has already, in order: once for each
    session of the day, and for each import that counts."""
    imports_by_day: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for balance_import in imports:
        if balance_import.voided_at is None:
            for imported in balance_import.event.evenings:
                imports_by_day[imported.date][balance_import.event.number] = None
    for evening in evenings:
        if not evening.results:
            continue
        for session in sessions.get(evening.date, ()):
            yield SameDay(evening=evening, session=session)
        for number in imports_by_day.get(evening.date, ()):
            yield SameDay(evening=evening, import_number=number)
