"""Leaving a group, and returning to it: the events, and what must be settled before.

A member leaves with a balance of zero in every currency. What is open is paid, handed over or
written off, as the host states. Knows neither HTTP nor who the host is.

Source: docs/rules.md §11.3.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from engine.errors import RuleViolation
from engine.values import Amount
from ledger.events.event_types import Member
from ledger.groups.attendance import check_members, check_present
from ledger.groups.group_events import (
    BalanceHandedOver,
    BalanceWrittenOff,
    GroupEvent,
    GroupTransferRecorded,
    MemberAmount,
    MemberLeft,
    MemberReturned,
    RecordedGroupEvent,
)
from ledger.groups.groups import Group
from ledger.groups.open_balances import (
    CurrencyBalances,
    PlayedSession,
    fold_open_balances,
    plan_group_payments,
)
from ledger.session.cost_division import divide_cost

Agreement = Literal["settle", "hand_over", "write_off"]


class MemberHasNotLeft(RuleViolation):
    """{member} has not left the group."""


class BalanceIsOpen(RuleViolation):
    """{member} has open balances; state whether they are settled, handed over or written off."""


class EveningIsOpen(RuleViolation):
    """{member} is in evening {number}, which is not over yet; close it first."""


class MoneyIsOnTable(RuleViolation):
    """Money of {member} is still in the pot or on a bet of evening {number}; play for it or share
    it out first."""


class SettledElsewhere(RuleViolation):
    """A part of the balance of {member} is owed outside the group, so it cannot be settled in one
    step; settle that evening first, or hand the balance over."""


class GoesToSelf(RuleViolation):
    """{member} cannot bear the member's own balance."""


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """Who leaves, and what is agreed about open balances. The first of the `counterparts` takes the
    balance over, or all of them bear it."""

    member: Member
    agreement: Agreement | None = None
    counterparts: tuple[Member, ...] = ()


def decide_departure(
    group: Group,
    sessions: Sequence[PlayedSession],
    events: Sequence[RecordedGroupEvent],
    departure: Departure,
) -> tuple[GroupEvent, ...]:
    """Return the events with which a member leaves: what becomes of each open balance, and the
    leaving. Raise UnknownMember, MemberHasLeft, EveningIsOpen, MoneyIsOnTable, BalanceIsOpen,
    SettledElsewhere, GoesToSelf."""
    member = departure.member
    check_present(group, (member, *departure.counterparts))
    if member in departure.counterparts:
        raise GoesToSelf(member=member)
    for played in sessions:
        _check_evening(played, member)
    closing_events: list[GroupEvent] = []
    write_off_number = 1 + sum(isinstance(r.event, BalanceWrittenOff) for r in events)
    for balances in fold_open_balances(sessions, events):
        amount = balances.of_member(member)
        if amount:
            closing_events += _close_balance(group, balances, amount, departure, write_off_number)
            write_off_number += 1
    return (*closing_events, MemberLeft(member=member))


def _check_evening(played: PlayedSession, member: Member) -> None:
    group_session, session = played
    number, attendance = group_session.number, group_session.members
    if member not in attendance.values() or session.carried_to:
        return
    if session.status == "open":
        raise EveningIsOpen(member=member, number=number)
    owners = {attendance.get(player) for bet in session.bets for player in bet.by}
    if session.pot or member in owners:
        raise MoneyIsOnTable(member=member, number=number)


def _close_balance(
    group: Group,
    balances: CurrencyBalances,
    amount: Amount,
    departure: Departure,
    write_off_number: int,
) -> Iterator[GroupEvent]:
    """Yield the events that bring the member's balance in one currency to zero. The number of a
    write-off, from 1 in the group, decides who bears its odd units (`divide_cost`)."""
    member, currency, counterparts = departure.member, balances.currency, departure.counterparts
    match departure.agreement:
        case "settle":
            yield from _settling_transfers(group, balances, member)
        case "hand_over":
            yield BalanceHandedOver(
                member=member, recipient=counterparts[0], amount=amount, currency=currency
            )
        case "write_off":
            shares = divide_cost(abs(amount), dict.fromkeys(counterparts, 1), write_off_number)
            sign = 1 if amount > 0 else -1
            borne_by = tuple(
                MemberAmount(member=share.player, amount=sign * share.amount) for share in shares
            )
            yield BalanceWrittenOff(
                member=member, amount=amount, currency=currency, borne_by=borne_by
            )
        case None:
            raise BalanceIsOpen(member=member)


def _settling_transfers(
    group: Group, balances: CurrencyBalances, member: Member
) -> Iterator[GroupTransferRecorded]:
    """Yield the payments of the plan that the member makes or gets. Raise SettledElsewhere,
    MemberHasLeft."""
    for transfer in plan_group_payments(balances):
        payer, payee = transfer.payer, transfer.payee
        if member not in (payer, payee):
            continue
        if not {payer, payee} <= group.members.keys():
            raise SettledElsewhere(member=member)
        check_present(group, (payer, payee))
        yield GroupTransferRecorded(
            payer=payer, payee=payee, amount=transfer.amount, currency=balances.currency
        )


def decide_return(group: Group, member: Member) -> tuple[GroupEvent, ...]:
    """Return the event with which a member is back. Raise UnknownMember, MemberHasNotLeft."""
    check_members(group, member)
    if member not in group.former_members:
        raise MemberHasNotLeft(member=member)
    return (MemberReturned(member=member),)
