"""The entries of a group's statement: its imports, its own events, and what both had come to before
the period."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from api.i18n.translator import Translator
from api.statements.group_entry import (
    GROUP_OPENING,
    EntryPart,
    GroupEntry,
    shown_member_name,
)
from api.statements.groups.group_event_lines import group_event_lines
from api.statements.groups.imported_results import imported_results
from api.statements.request_arguments import StatementQuery
from api.statements.wording.sanitize import legible_name
from engine.values import Amount
from ledger.events.event_types import Member
from ledger.events.timestamps import to_datetime
from ledger.groups.group_events import RecordedGroupEvent
from ledger.groups.groups import Group
from ledger.reporting.journal_query import FOREVER
from ledger.transfer.earlier_evenings.balance_import import BalanceImport


class GroupRecords(msgspec.Struct, frozen=True, kw_only=True):
    """What a group has recorded in one currency, as far as a statement goes."""

    group: Group
    events: Sequence[RecordedGroupEvent]
    imports: Sequence[BalanceImport]  # without those that are voided
    currency: str
    as_of: int  # microseconds


def group_entries(
    records: GroupRecords, query: StatementQuery, translator: Translator
) -> Iterator[GroupEntry]:
    """Yield what was there before the period, the imports, and the events in order; of one member,
    only entries that concern the member."""
    names = records.group.members
    begins = min(query.starts_at, query.ends_at)  # no session after an empty period counts either
    before = msgspec.structs.replace(query, starts_at=-FOREVER, ends_at=begins)
    totals = Counter[Member]()
    for entry in _entries(records, before, translator):
        if entry.is_open_balance:
            for part in entry.parts:
                totals[part.member] += part.amount
    if any(totals.values()):
        yield GroupEntry(
            kind=GROUP_OPENING,
            day=_local_day(min(begins, records.as_of), query),
            parts=_parts(totals, names),
            sentence=translator("statement.opening"),
        )
    yield from _entries(records, query, translator)


def _entries(
    records: GroupRecords, query: StatementQuery, translator: Translator
) -> Iterator[GroupEntry]:
    names = records.group.members
    for imported in imported_results(records.imports, records.currency, query):
        if query.holder is None or query.holder in imported.results:
            yield GroupEntry(
                kind="import",
                day=imported.last_day,
                parts=_parts(imported.results, names),
                is_open_balance=not imported.settled,
                sentence=imported.title(translator, short=True),
            )
    shown_names = {
        member: shown_member_name(name and legible_name(name), member, translator)
        for member, name in names.items()
    }
    lines = group_event_lines(records.events, records.currency, query, translator, shown_names)
    for line in lines:
        yield GroupEntry(
            kind=line.type,
            number=line.number,
            at=line.at,
            day=_local_day(line.at, query),
            parts=_parts(line.changes, names),
            sentence=line.sentence,
        )


def _parts(
    amounts: Mapping[Member, Amount], names: Mapping[Member, str | None]
) -> tuple[EntryPart, ...]:
    return tuple(
        EntryPart(member=member, name=legible_name(name) if name else None, amount=amounts[member])
        for member, name in names.items()
        if member in amounts
    )


def _local_day(at: int, query: StatementQuery) -> str:
    return to_datetime(at).astimezone(query.zone).date().isoformat()
