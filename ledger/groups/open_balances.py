"""What the members of a group owe each other over all evenings, and where each amount comes from.

A pure fold of the group's sessions and its own events. Of every currency the rows add up to zero,
together with what is in pots and on bets. Knows neither the database nor HTTP.

Source: docs/rules.md §11.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, assert_never
from uuid import UUID

import msgspec

from engine.errors import RuleViolation
from engine.values import Amount, Player
from ledger.events.event_types import Currency, Member
from ledger.groups.group_events import (
    BalanceHandedOver,
    BalancesImported,
    BalanceWrittenOff,
    GroupTransferRecorded,
    ImportVoided,
    RecordedGroupEvent,
    add_up,
    amount_changes,
)
from ledger.groups.groups import Group, GroupSession
from ledger.projections.postings import POT
from ledger.reporting.payment_plan import Transfer, plan_payments
from ledger.session.session_state import SessionState

Source = Literal[
    "evening", "import", "transfer", "handed_over", "taken_over", "written_off", "borne"
]
"""A balance is handed over by its owner and taken over by another; or written off, and borne."""

PlayedSession = tuple[GroupSession, SessionState]

MoneyEvent = GroupTransferRecorded | BalanceHandedOver | BalanceWrittenOff | BalancesImported


class PlanHasChanged(RuleViolation):
    """The payment is no longer in the plan with this amount. It may be recorded already."""


class BalancePart(msgspec.Struct, frozen=True, kw_only=True):
    """An amount of an open balance, and what it comes from: an evening or an event of the group, by
    its number."""

    source: Source
    number: int
    amount: Amount


class BalanceOwner(msgspec.Struct, frozen=True, kw_only=True):
    """Whose balance it is: a member, or a player of a session who is no member."""

    member: Member | None = None
    session: int | None = None  # its number in the group
    player: Player | None = None

    @property
    def id(self) -> str:
        """`m2` for a member, `e3.p4` for a player of the third evening who is no member."""
        return self.member or f"e{self.session}.{self.player}"


class OpenBalance(msgspec.Struct, frozen=True, kw_only=True):
    """What a member or a player is owed over all evenings; less than zero for what is owed."""

    owner: BalanceOwner
    parts: tuple[BalancePart, ...]  # evenings first, then events, in order

    @property
    def amount(self) -> Amount:
        return sum(part.amount for part in self.parts)


class CurrencyBalances(msgspec.Struct, frozen=True, kw_only=True):
    """The open balances in one currency. With `on_table`, what is in pots and paid for bets, they
    add up to zero."""

    currency: Currency
    balances: tuple[OpenBalance, ...]
    on_table: Amount

    def of_member(self, member: Member) -> Amount:
        """Return a member's balance, 0 for one who has none."""
        return sum(row.amount for row in self.balances if row.owner.member == member)


def fold_open_balances(
    sessions: Iterable[PlayedSession], events: Iterable[RecordedGroupEvent]
) -> tuple[CurrencyBalances, ...]:
    """Return the open balances of every currency that has any, in alphabetical order.

    `sessions` are all of the group, games for points too. One that was carried forward counts only
    where it was carried to. La vola payments that are due count as paid.
    """
    parts: defaultdict[Currency, dict[BalanceOwner, list[BalancePart]]] = defaultdict(dict)
    on_table: defaultdict[Currency, Amount] = defaultdict(int)
    for group_session, session in sessions:
        if session.is_for_money and not session.carried_to:
            currency = session.opening.currency
            on_table[currency] += session.pot + sum(b.amount for b in session.bets if b.paid)
            for owner, part in _session_parts(group_session, session):
                parts[currency].setdefault(owner, []).append(part)
    for number, event in money_events(events):
        for owner, part in _event_parts(number, event):
            parts[event.currency].setdefault(owner, []).append(part)
    return tuple(
        CurrencyBalances(
            currency=currency,
            balances=tuple(
                OpenBalance(owner=owner, parts=tuple(by_owner[owner]))
                for owner in sorted(by_owner, key=_place)
            ),
            on_table=on_table[currency],
        )
        for currency, by_owner in sorted(parts.items())
    )


def plan_group_payments(balances: CurrencyBalances) -> tuple[Transfer, ...]:
    """Return the fewest transfers that bring every balance to zero, between the ids of the owners;
    with many members, at most one fewer than there are balances (`payment_plan`). What is in pots
    and on bets is paid to POT."""
    owed = {row.owner.id: row.amount for row in balances.balances}
    return plan_payments({**owed, POT: balances.on_table})


def check_planned(
    transfer: GroupTransferRecorded,
    open_amount: Amount,
    sessions: Iterable[PlayedSession],
    events: Iterable[RecordedGroupEvent],
) -> None:
    """Raise PlanHasChanged unless the payment plan has the transfer with `open_amount`, of which
    the transfer may be a part."""
    line = Transfer(payer=transfer.payer, payee=transfer.payee, amount=open_amount)
    for balances in fold_open_balances(sessions, events):
        if balances.currency == transfer.currency and line in plan_group_payments(balances):
            return
    raise PlanHasChanged


def check_uncancelled(
    reversal: GroupTransferRecorded, number: int, events: Iterable[RecordedGroupEvent]
) -> None:
    """Raise PlanHasChanged unless event `number` is the payment that `reversal` cancels: the latest
    one of the opposite payments that stands."""
    parties = {reversal.payer, reversal.payee}
    standing_payments: list[tuple[int, Member]] = []  # payments the same way, with their payer
    for recorded in events:
        match recorded.event:
            case GroupTransferRecorded(payer=payer, payee=payee, amount=amount, currency=currency):
                if {payer, payee} != parties:
                    continue
                if (amount, currency) != (reversal.amount, reversal.currency):
                    continue
                if standing_payments and standing_payments[-1][1] == payee:
                    standing_payments.pop()
                else:
                    standing_payments.append((recorded.version, payer))
    if standing_payments[-1:] != [(number, reversal.payee)]:
        raise PlanHasChanged


def members_settled_outside(
    events: Iterable[RecordedGroupEvent], currency: Currency
) -> set[Member]:
    """Return the members who have settled in this currency over several evenings: of whom an event
    of the group has changed the balance. An import settles nothing."""
    return {
        change.member
        for _, event in money_events(events)
        if event.currency == currency and not isinstance(event, BalancesImported)
        for change in amount_changes(event)
        if change.amount
    }


def limit_to_open_balance(
    member: Member,
    amounts: Mapping[Currency, Amount],
    balances: Sequence[CurrencyBalances],
    events: Sequence[RecordedGroupEvent],
) -> dict[Currency, Amount]:
    """Return what is still open of the amounts that some evenings have left open to a member: no
    more than the open balance, once the member has settled outside the evenings."""
    open_amounts = dict(amounts)
    for currency, amount in amounts.items():
        if member in members_settled_outside(events, currency):
            balance = sum(b.of_member(member) for b in balances if b.currency == currency)
            limit = min(abs(amount), max(balance if amount > 0 else -balance, 0))
            open_amounts[currency] = limit if amount > 0 else -limit
    return {currency: amount for currency, amount in open_amounts.items() if amount}


def load_played_sessions(
    group: Group, read: Callable[[UUID], SessionState]
) -> tuple[PlayedSession, ...]:
    """Return every session of the group, in order. One that another of them brought forward counts
    as carried to it, also if it was exported before that and imported since."""
    played = tuple((session, read(session.session_id)) for session in group.sessions)
    carried_to_by_id = {
        s.brought_forward.session: str(s.id) for _, s in played if s.brought_forward
    }

    def as_carried(session: SessionState) -> SessionState:
        carried_to = carried_to_by_id.get(str(session.id))
        if session.carried_to or carried_to is None:
            return session
        return msgspec.structs.replace(session, carried_to=carried_to)

    return tuple((group_session, as_carried(session)) for group_session, session in played)


def money_events(events: Iterable[RecordedGroupEvent]) -> Iterator[tuple[int, MoneyEvent]]:
    """Yield the events that open balances contain, with their numbers: no import that was voided,
    and none that is settled."""
    recorded_events = tuple(events)
    voided = {r.event.number for r in recorded_events if isinstance(r.event, ImportVoided)}
    for recorded in recorded_events:
        event = recorded.event
        if isinstance(event, BalancesImported) and (event.settled or event.number in voided):
            continue
        if isinstance(event, MoneyEvent):
            yield recorded.version, event


def _session_parts(
    group_session: GroupSession, session: SessionState
) -> Iterator[tuple[BalanceOwner, BalancePart]]:
    number = group_session.number
    for player in session.table.players:
        member = group_session.members.get(player)
        owner = (
            BalanceOwner(member=member) if member else BalanceOwner(session=number, player=player)
        )
        if amount := session.funds(player):
            yield owner, BalancePart(source="evening", number=number, amount=amount)


def _event_parts(number: int, event: MoneyEvent) -> Iterator[tuple[BalanceOwner, BalancePart]]:
    for member, amount in add_up(amount_changes(event)).items():
        if amount:
            part = BalancePart(source=_source(event, member), number=number, amount=amount)
            yield BalanceOwner(member=member), part


def _source(event: MoneyEvent, member: Member) -> Source:
    match event:
        case GroupTransferRecorded():
            return "transfer"
        case BalancesImported():
            return "import"
        case BalanceHandedOver():
            return "handed_over" if member == event.member else "taken_over"
        case BalanceWrittenOff():
            return "written_off" if member == event.member else "borne"
        case _:
            assert_never(event)


def _place(owner: BalanceOwner) -> tuple[int, int]:
    """Members come first, in their order."""
    number = owner.member or owner.player
    assert number is not None, "a balance has an owner"
    return owner.session or 0, int(number[1:])
