"""What a group's statement shows of the group's own events: payments over several evenings,
balances handed over or written off, and members who left or returned.

They count in the open balances, and in no sum of the statement: those are of the evenings.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from api.i18n.currency import have_fractions
from api.i18n.translator import Translator
from api.statements.request_arguments import StatementQuery
from engine.values import Amount
from ledger.events.event_types import Currency, Member
from ledger.events.timestamps import format_timestamp
from ledger.groups.group_events import (
    BalanceHandedOver,
    BalanceWrittenOff,
    GroupTransferRecorded,
    MemberLeft,
    MemberReturned,
    RecordedGroupEvent,
    amount_changes,
)

ShownEvent = (
    GroupTransferRecorded | BalanceHandedOver | BalanceWrittenOff | MemberLeft | MemberReturned
)


class GroupEventLine(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the group, with its sentence. `changes`: by how much each balance moved."""

    number: int
    at: int  # microseconds
    type: str
    changes: Mapping[Member, Amount]
    sentence: str

    def json_fields(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "at": format_timestamp(self.at),
            "type": self.type,
            "changes": dict(self.changes),
            "why": self.sentence,
        }


def event_currencies(events: Iterable[RecordedGroupEvent]) -> list[Currency]:
    """Return the currencies of the events that a statement shows, the latest first."""
    return [
        recorded.event.currency
        for recorded in reversed(tuple(events))
        if isinstance(recorded.event, GroupTransferRecorded)
    ]


def group_event_lines(
    events: Iterable[RecordedGroupEvent],
    currency: str,
    query: StatementQuery,
    translator: Translator,
    names: Mapping[Member, str],
) -> Iterator[GroupEventLine]:
    """Yield the events of the period in this currency, of the holder alone if there is one."""
    for recorded in events:
        event, at = recorded.event, recorded.at
        if not isinstance(event, ShownEvent):
            continue
        if getattr(event, "currency", currency) != currency:
            continue
        if not query.starts_at <= at < query.ends_at:
            continue
        changes = {change.member: change.amount for change in amount_changes(event)}
        concerned = {*changes, getattr(event, "member", None)}
        if query.holder is not None and query.holder not in concerned:
            continue
        yield GroupEventLine(
            number=recorded.version,
            at=at,
            type=recorded.type,
            changes=changes,
            sentence=_sentence(event, translator, names),
        )


def _sentence(event: ShownEvent, translator: Translator, names: Mapping[Member, str]) -> str:
    """Return what happened, with the amount where there is one."""
    if isinstance(event, MemberLeft | MemberReturned):
        key = "member_left" if isinstance(event, MemberLeft) else "member_returned"
        return translator(f"statement.{key}", member=names[event.member])
    amount = translator.format_money(abs(event.amount), event.currency)
    match event:
        case GroupTransferRecorded(payer=payer, payee=payee):
            return translator(
                "statement.group_transfer", payer=names[payer], payee=names[payee], amount=amount
            )
        case BalanceHandedOver(member=member, recipient=recipient):
            key = "handed_over" if event.amount > 0 else "debt_handed_over"
            return translator(
                f"statement.{key}",
                member=names[member],
                recipient=names[recipient],
                amount=amount,
            )
        case BalanceWrittenOff(member=member, borne_by=borne_by):
            key = "written_off" if event.amount > 0 else "debt_written_off"
            currency, parts = event.currency, [(s.member, abs(s.amount)) for s in borne_by]
            fixed = have_fractions((part for _, part in parts), currency)
            shares = ", ".join(
                f"{names[bearer]} {translator.format_money(part, currency, fixed=fixed)}"
                for bearer, part in parts
            )
            return translator(
                f"statement.{key}", member=names[member], amount=amount, shares=shares
            )
