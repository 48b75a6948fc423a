"""Payments that are recorded already: a bank line of the same amount may be one of them.

Somebody may have recorded by hand what the bank's file has as well, or a line of the other member's
account may have been approved. Such lines are called ambiguous. Pure.
"""

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from engine.values import Amount
from ledger.events.event_types import Currency, Member, TransferRecorded
from ledger.events.recorded_event import RecordedEvent
from ledger.events.timestamps import to_datetime
from ledger.groups.bank_lines.line_approval import UsedLine, parties
from ledger.groups.bank_lines.line_matching import BankLine, LineProposal, TransferFit
from ledger.groups.group_events import GroupTransferRecorded, RecordedGroupEvent
from ledger.groups.groups import Group
from ledger.groups.open_balances import PlayedSession

Payment = tuple[Member, Member, Amount]
"""Payer, payee and amount."""
DAYS_UNTIL_BOOKED = datetime.timedelta(days=7)
"""How long after it was recorded a payment may come into the account."""
EARLIEST_ZONE = datetime.timedelta(hours=14)
"""How far the time zone is ahead of UTC in which a day begins first."""


class RecordedPayment(NamedTuple):
    """A payment in a session or over all evenings, and the latest local day of its recording."""

    payment: Payment
    day: datetime.date


def list_recorded_payments(
    sessions: Sequence[PlayedSession],
    group_events: Iterable[RecordedGroupEvent],
    load_events: Callable[[UUID, int, int], Iterable[RecordedEvent]],
    currency: Currency,
) -> Iterator[RecordedPayment]:
    """Yield the payments between members in one currency."""
    for group_session, session in sessions:
        if not session.net_paid or session.opening.currency != currency:
            continue
        members = group_session.members
        for recorded in load_events(session.id, 0, session.version):
            match recorded.event:
                case TransferRecorded() as paid if {paid.payer, paid.payee} <= members.keys():
                    payment = members[paid.payer], members[paid.payee], paid.amount
                    yield RecordedPayment(payment, _latest_day(recorded.at))
    for group_event in group_events:
        match group_event.event:
            case GroupTransferRecorded(currency=code) as event if code == currency:
                payment = event.payer, event.payee, event.amount
                yield RecordedPayment(payment, _latest_day(group_event.at))


def _latest_day(at: int) -> datetime.date:
    """Return the day where the day begins first. It is never before the local day, so that no line
    is taken for later than it is."""
    return (to_datetime(at) + EARLIEST_ZONE).date()


def mark_recorded_payments(
    group: Group,
    proposals: Sequence[LineProposal],
    recorded: Iterable[RecordedPayment],
    used_in_file: Iterable[UsedLine],
) -> tuple[LineProposal, ...]:
    """Return the proposals, with those marked ambiguous whose line may be a payment that is
    recorded. The lines of the file that are used, and payments that were taken back, are not."""
    counts: Counter[Payment] = Counter()
    last_days: defaultdict[Payment, datetime.date] = defaultdict(lambda: datetime.date.min)
    for (payer, payee, amount), day in recorded:
        counts[payer, payee, amount] += 1
        counts[payee, payer, amount] -= 1
        last_days[payer, payee, amount] = max(day, last_days[payer, payee, amount])
    for _, line in used_in_file:
        counts[*parties(group, line), line.amount] -= 1

    def is_recorded(line: BankLine, fit: TransferFit) -> bool:
        payment = fit.transfer.payer, fit.transfer.payee, abs(line.amount)
        return counts[payment] > 0 and line.day <= last_days[payment] + DAYS_UNTIL_BOOKED

    def marked(proposal: LineProposal) -> LineProposal:
        fits = tuple(
            replace(fit, reasons=(*fit.reasons, "recorded"))
            if is_recorded(proposal.line, fit)
            else fit
            for fit in proposal.fits
        )
        return (
            proposal
            if fits == proposal.fits
            else LineProposal(line=proposal.line, status="ambiguous", fits=fits)
        )

    return tuple(map(marked, proposals))
