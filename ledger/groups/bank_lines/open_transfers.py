"""The transfers that members of a group still owe each other: those of each closed evening, and
those that settle all evenings at once.

Pure. Knows neither the database nor any bank.

Source: docs/rules.md §11.2.
"""

import datetime
from collections.abc import Iterable, Iterator, Sequence

from ledger.events.event_types import Currency
from ledger.events.timestamps import to_datetime
from ledger.groups.bank_lines.line_matching import OpenTransfer
from ledger.groups.group_events import BalancesImported, RecordedGroupEvent
from ledger.groups.groups import Group
from ledger.groups.open_balances import (
    CurrencyBalances,
    PlayedSession,
    fold_open_balances,
    members_settled_outside,
    plan_group_payments,
)
from ledger.reporting.payment_plan import plan_transfers

DEFAULT_MESSAGE = "Vola"
"""The message of a payment for an evening without a title, also in its QR code."""


def list_open_transfers(
    group: Group,
    sessions: Sequence[PlayedSession],
    events: Sequence[RecordedGroupEvent],
    currency: Currency,
) -> tuple[OpenTransfer, ...]:
    """Return the open transfers between members in one currency, those of the evenings first.

    An evening that is not closed or was carried forward has none of its own. Once a member has
    settled outside the evenings, by a transfer of the group or otherwise, a transfer of an evening
    is open only if the balances of both members over all evenings cover all of it.
    """
    balances = balances_in(currency, sessions, events)
    if balances is None:
        return ()
    settled_outside = members_settled_outside(events, currency)
    session_transfers = [
        transfer
        for transfer in _session_transfers(sessions, currency)
        if settled_outside.isdisjoint((transfer.payer, transfer.payee))
        or transfer.amount
        <= min(-balances.of_member(transfer.payer), balances.of_member(transfer.payee))
    ]
    session_keys = {
        (transfer.payer, transfer.payee, transfer.amount) for transfer in session_transfers
    }
    day = min(_days(sessions, events, currency))
    group_transfers = [
        OpenTransfer(
            session=None,
            payer=line.payer,
            payee=line.payee,
            amount=line.amount,
            day=day,
            messages=(group.name, DEFAULT_MESSAGE),
        )
        for line in plan_group_payments(balances)
        if {line.payer, line.payee} <= group.members.keys()
        and (line.payer, line.payee, line.amount) not in session_keys
    ]
    return tuple(
        transfer
        for transfer in (*session_transfers, *group_transfers)
        if group.former_members.isdisjoint((transfer.payer, transfer.payee))
    )


def balances_in(
    currency: Currency, sessions: Iterable[PlayedSession], events: Iterable[RecordedGroupEvent]
) -> CurrencyBalances | None:
    """Return the open balances in one currency; None if there are none."""
    folded = fold_open_balances(sessions, events)
    return next((b for b in folded if b.currency == currency), None)


def _session_transfers(
    sessions: Iterable[PlayedSession], currency: Currency
) -> Iterator[OpenTransfer]:
    for group_session, session in sessions:
        is_open = session.is_for_money and session.status == "closed" and not session.carried_to
        if not is_open or session.opening.currency != currency:
            continue
        messages = (group_session.title, DEFAULT_MESSAGE)
        for transfer in plan_transfers(session):
            payer = group_session.members.get(transfer.payer)
            payee = group_session.members.get(transfer.payee)
            if payer is not None and payee is not None:
                yield OpenTransfer(
                    session=group_session.session_id,
                    payer=payer,
                    payee=payee,
                    amount=transfer.amount,
                    day=_day(session.opened_at),
                    messages=tuple(message for message in messages if message),
                )


def _days(
    sessions: Iterable[PlayedSession], events: Iterable[RecordedGroupEvent], currency: Currency
) -> Iterator[datetime.date]:
    """Yield the days of what balances in this currency may come from."""
    for _, session in sessions:
        if session.opening.currency == currency:
            yield _day(session.opened_at)
    for recorded in events:
        event = recorded.event
        if getattr(event, "currency", None) == currency:
            yield _day(recorded.at)
        if isinstance(event, BalancesImported) and event.currency == currency:
            yield from (datetime.date.fromisoformat(evening.date) for evening in event.evenings)


def _day(at: int) -> datetime.date:
    """Return the day in UTC. It is never after the local day: people play east of Greenwich."""
    return to_datetime(at).date()
