"""What players owe each other after la vola, and what workers have settled.

A leg is due from the event that made it. Taking the deal back cancels what is still due; a leg that
was settled is paid back by a new payment the other way. Source: contract.md §6.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount, Player
from ledger.entries import PaymentSettled
from ledger.envelope import Recorded

Status = Literal["due", "settled", "cancelled"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    id: str  # version of the event that made it due, payer, payee: unique in the session
    deal: int
    payer: Player
    payee: Player
    amount: Amount
    due_at: int  # microseconds, UTC
    status: Status = "due"
    reverses: str | None = None


Payments = Mapping[str, Payment]

NONE: Payments = MappingProxyType({})


def payment_id(version: int, payer: Player, payee: Player) -> str:
    return f"{version}-{payer}-{payee}"


def apply(payments: Payments, recorded: Recorded) -> Payments:
    match recorded.event:
        case e.LaVolaWon(deal=deal, player=payee, amount=amount, payers=payers):
            legs = (_due(recorded, deal, payer, payee, amount) for payer in payers)
            return {**payments, **{leg.id: leg for leg in legs}}
        case PaymentSettled(payment=key):
            return {**payments, key: replace(payments[key], status="settled")}
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for fact in facts:
                if isinstance(fact, e.LaVolaWon):
                    payments = _taken_back(payments, recorded, fact.deal)
    return payments


def _taken_back(payments: Payments, recorded: Recorded, deal: int) -> Payments:
    """The la vola of this deal never happened."""
    reversed_already = {payment.reverses for payment in payments.values()}
    new = dict(payments)
    for leg in payments.values():
        if leg.deal != deal or leg.reverses or leg.id in reversed_already:
            continue
        if leg.status == "due":
            new[leg.id] = replace(leg, status="cancelled")
        elif leg.status == "settled":
            back = _due(recorded, deal, leg.payee, leg.payer, leg.amount, reverses=leg.id)
            new[back.id] = back
    return new


def _due(
    recorded: Recorded,
    deal: int,
    payer: Player,
    payee: Player,
    amount: Amount,
    reverses: str | None = None,
) -> Payment:
    return Payment(
        id=payment_id(recorded.version, payer, payee),
        deal=deal,
        payer=payer,
        payee=payee,
        amount=amount,
        due_at=recorded.at,
        reverses=reverses,
    )


def outstanding(payments: Payments) -> tuple[Payment, ...]:
    return tuple(payment for payment in payments.values() if payment.status == "due")
