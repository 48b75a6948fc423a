"""The entries of a group's statement: what it had recorded before the period, its imports, and its
own events: payments over several evenings, balances handed over or written off, and members who
left or returned.

They count in the open balances, and in no sum of the statement: those are of the evenings.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from api.i18n.translator import Translator
from api.statements.group_entry import GROUP_OPENING, GroupEntry, open_balance_changes
from api.statements.groups.imported_results import imported_results
from api.statements.statement_query import StatementQuery
from ledger.events.currency import have_fractions
from ledger.events.timestamps import to_datetime
from ledger.groups.group_events import (
    BalanceHandedOver,
    BalanceWrittenOff,
    GroupTransferRecorded,
    MemberLeft,
    MemberReturned,
    RecordedGroupEvent,
    add_up,
    amount_changes,
    members_of,
)
from ledger.reporting.journal_query import FOREVER
from ledger.transfer.earlier_evenings.balance_import import BalanceImport

ShownEvent = (
    GroupTransferRecorded | BalanceHandedOver | BalanceWrittenOff | MemberLeft | MemberReturned
)


def event_entries(
    events: Iterable[RecordedGroupEvent],
    currency: str,
    query: StatementQuery,
    translator: Translator,
) -> Iterator[GroupEntry]:
    """Yield the events in this currency up to the end of the period, of the holder alone if there
    is one."""
    for recorded in events:
        event, at = recorded.event, recorded.at
        if not isinstance(event, ShownEvent) or at >= query.ends_at:
            continue
        if getattr(event, "currency", currency) != currency:
            continue
        if query.holder is None or query.holder in members_of(event):
            yield GroupEntry(
                kind=recorded.type,
                number=recorded.version,
                at=at,
                day=_local_day(at, query),
                changes=add_up(amount_changes(event)),
                sentence=_sentence(event, translator),
            )


def group_entries(
    events: Sequence[GroupEntry],
    imports: Iterable[BalanceImport],
    as_of: int,
    query: StatementQuery,
    translator: Translator,
) -> Iterator[GroupEntry]:
    """Yield what was there before the period, the imports, and the events in order; of one member,
    only entries that concern the member. `as_of` is the latest time of all, in microseconds."""
    before = msgspec.structs.replace(query, starts_at=-FOREVER, ends_at=query.starts_at)
    earlier = [
        *_import_entries(imports, before, translator),
        *(event for event in events if event.at < query.starts_at),
    ]
    totals = open_balance_changes(earlier)
    if any(totals.values()):
        yield GroupEntry(
            kind=GROUP_OPENING,
            day=_local_day(min(query.starts_at, as_of), query),
            changes=totals,
            sentence=translator("statement.opening"),
        )
    yield from _import_entries(imports, query, translator)
    yield from (event for event in events if event.at >= query.starts_at)


def _import_entries(
    imports: Iterable[BalanceImport], query: StatementQuery, translator: Translator
) -> Iterator[GroupEntry]:
    for imported in imported_results(imports, query):
        if query.holder is None or query.holder in imported.results:
            yield GroupEntry(
                kind="import",
                day=imported.last_day,
                changes=imported.results,
                is_open_balance=not imported.settled,
                sentence=imported.title(translator, short=True),
            )


def _local_day(at: int, query: StatementQuery) -> str:
    return to_datetime(at).astimezone(query.zone).date().isoformat()


def _sentence(event: ShownEvent, translator: Translator) -> str:
    """Return what happened, with the amount where there is one."""
    name = translator.player_name
    if isinstance(event, MemberLeft | MemberReturned):
        key = "member_left" if isinstance(event, MemberLeft) else "member_returned"
        return translator(f"statement.{key}", member=name(event.member))
    currency = event.currency
    amount = translator.format_money(abs(event.amount), currency)
    if isinstance(event, GroupTransferRecorded):
        payer, payee = name(event.payer), name(event.payee)
        return translator("statement.group_transfer", payer=payer, payee=payee, amount=amount)
    debt = "" if event.amount > 0 else "debt_"
    member = name(event.member)
    if isinstance(event, BalanceHandedOver):
        key, recipient = f"statement.{debt}handed_over", name(event.recipient)
        return translator(key, member=member, recipient=recipient, amount=amount)
    parts = [(name(share.member), abs(share.amount)) for share in event.borne_by]
    fixed = have_fractions((part for _, part in parts), currency)
    shares = ", ".join(
        f"{bearer} {translator.format_money(part, currency, fixed=fixed)}" for bearer, part in parts
    )
    key = f"statement.{debt}written_off"
    return translator(key, member=member, amount=amount, shares=shares)
