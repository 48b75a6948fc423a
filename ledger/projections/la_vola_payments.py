"""La vola payments: when each becomes due, and the events that settle what is due.

A payment is due from the event that won la vola (`LaVolaWon`). Undoing the deal cancels what is
still due; a settled payment is paid back by a new payment in the other direction. A correction
makes the difference due. `EventStore.settle` (ledger/store/event_store.py) settles what is
due: it appends the `settlement` of each payment.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount, Player
from ledger.events.event_types import PaymentSettled
from ledger.events.recorded_event import RecordedEvent

Status = Literal["due", "settled", "cancelled"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """What one player owes another for a la vola, or owes back."""

    id: str  # version of the event that made it due (and the deal), payer, payee: unique
    deal: int
    payer: Player
    payee: Player
    amount: Amount
    status: Status = "due"
    due_at: int  # microseconds, UTC
    reverses: str | None = None  # the id of the settled payment that it pays back

    @property
    def settlement(self) -> PaymentSettled:
        """The event that settles this payment."""
        return PaymentSettled(
            payment=self.id,
            deal=self.deal,
            payer=self.payer,
            payee=self.payee,
            amount=self.amount,
            reverses=self.reverses,
        )


Payments = Mapping[str, Payment]

NO_PAYMENTS: Payments = MappingProxyType({})

MAX_SETTLED_AT_ONCE = 500
"""Payments of a session that one append settles. A forged session can have tens of thousands due;
to settle them all took longer than a transaction may last."""

AmountsDue = Mapping[tuple[Player, Player], Amount]
"""What a deal makes due, by payer and payee."""

PAYMENT_EVENTS = frozenset({
    e.LaVolaWon, PaymentSettled, e.ActionUndone, e.DealVoided, e.DealCorrected, e.CorrectionUndone
})  # fmt: skip


def apply(payments: Payments, recorded: RecordedEvent) -> Payments:
    """Return the payments after this event."""
    match recorded.event:
        case e.LaVolaWon(deal=number) as won:
            due = (_due_payment(recorded, number, p, won.player, won.amount) for p in won.payers)
            return {**payments, **{payment.id: payment for payment in due}}
        case PaymentSettled(payment=key):
            return {**payments, key: replace(payments[key], status="settled")}
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for fact in facts:
                if isinstance(fact, e.LaVolaWon):
                    payments = _make_difference_due(payments, recorded, fact.deal, {})
        case e.DealCorrected(rescored=rescored) | e.CorrectionUndone(rescored=rescored):
            for change in rescored:
                if _amounts_due(change.was) != (amounts_due := _amounts_due(change.facts)):
                    payments = _make_difference_due(payments, recorded, change.deal, amounts_due)
    return payments


def _amounts_due(facts: e.UndoableEvents) -> AmountsDue:
    won = (fact for fact in facts if isinstance(fact, e.LaVolaWon))
    return {(payer, vola.player): vola.amount for vola in won for payer in vola.payers}


def _make_difference_due(
    payments: Payments, recorded: RecordedEvent, deal: int, amounts_due: AmountsDue
) -> Payments:
    """Cancel what is due, and make the difference to what was settled due."""
    updated = dict(payments)
    settled: Counter[tuple[Player, Player]] = Counter()
    last_settled: dict[tuple[Player, Player], str] = {}
    for payment in payments.values():
        if payment.deal != deal:
            continue
        if payment.status == "due":
            updated[payment.id] = replace(payment, status="cancelled")
        elif payment.status == "settled":
            last_settled[payment.payer, payment.payee] = payment.id
            settled[payment.payer, payment.payee] += payment.amount
            settled[payment.payee, payment.payer] -= payment.amount
    for payer, payee in dict.fromkeys((*amounts_due, *settled)):
        owed = amounts_due.get((payer, payee), 0) - amounts_due.get((payee, payer), 0)
        missing = owed - settled[payer, payee]
        if missing > 0:
            # if money went the other way, it is paid back; otherwise a new payment is due
            reverses = None if (payer, payee) in amounts_due else last_settled.get((payee, payer))
            payment = _due_payment(recorded, deal, payer, payee, missing, reverses=reverses)
            updated[payment.id] = payment
    return updated


def _due_payment(
    recorded: RecordedEvent,
    deal: int,
    payer: Player,
    payee: Player,
    amount: Amount,
    reverses: str | None = None,
) -> Payment:
    # a correction can make payments of several deals due at one version
    corrects = isinstance(recorded.event, e.DealCorrected | e.CorrectionUndone)
    version = f"{recorded.version}.{deal}" if corrects else str(recorded.version)
    return Payment(
        id=f"{version}-{payer}-{payee}",
        deal=deal,
        payer=payer,
        payee=payee,
        amount=amount,
        due_at=recorded.at,
        reverses=reverses,
    )


def is_due_by_correction(payment: str) -> bool:
    """Return whether a correction made the payment due: its id then has a version and a deal."""
    return "." in payment.partition("-")[0]


def due_payments(payments: Payments) -> tuple[Payment, ...]:
    """Return the payments that are still to be settled."""
    return tuple(payment for payment in payments.values() if payment.status == "due")
