"""What players owe each other after la vola, and what workers have settled.

A leg is due from the event that made it. Taking the deal back cancels what is still due; a leg that
was settled is paid back by a new payment the other way. A correction settles the difference.
Source: contract.md §5 and §6.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount, Player
from ledger.entries import PaymentSettled
from ledger.envelope import Recorded

Status = Literal["due", "settled", "cancelled"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    id: str  # version of the event that made it due (and the deal), payer, payee: unique
    deal: int
    payer: Player
    payee: Player
    amount: Amount
    due_at: int  # microseconds, UTC
    status: Status = "due"
    reverses: str | None = None


Payments = Mapping[str, Payment]

NONE: Payments = MappingProxyType({})


Legs = Mapping[tuple[Player, Player], Amount]
"""From payer to payee: what a deal makes due."""


Told = e.LaVolaWon | PaymentSettled | e.ActionUndone | e.DealVoided | e.DealCorrected
TOLD: frozenset[type] = frozenset(get_args(Told))


def apply(payments: Payments, recorded: Recorded) -> Payments:
    if type(recorded.event) not in TOLD:
        return payments
    match recorded.event:
        case e.LaVolaWon(deal=deal) as won:
            legs = (_due(recorded, deal, p, won.player, won.amount) for p in won.payers)
            return {**payments, **{leg.id: leg for leg in legs}}
        case PaymentSettled(payment=key):
            return {**payments, key: replace(payments[key], status="settled")}
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for fact in facts:
                if isinstance(fact, e.LaVolaWon):
                    payments = _brought_to(payments, recorded, fact.deal, {})
        case e.DealCorrected(rescored=rescored):
            for again in rescored:
                if _legs(again.was) != (wanted := _legs(again.facts)):
                    payments = _brought_to(payments, recorded, again.deal, wanted)
    return payments


def _legs(facts: tuple[e.Deed, ...]) -> Legs:
    won = (fact for fact in facts if isinstance(fact, e.LaVolaWon))
    return {(payer, vola.player): vola.amount for vola in won for payer in vola.payers}


def _brought_to(payments: Payments, recorded: Recorded, deal: int, wanted: Legs) -> Payments:
    """What is due is cancelled; what is settled is settled to the new amounts by the difference."""
    new, settled = dict(payments), dict[tuple[Player, Player], Amount]()
    last = dict[tuple[Player, Player], str]()
    for leg in payments.values():
        if leg.deal != deal:
            continue
        if leg.status == "due":
            new[leg.id] = replace(leg, status="cancelled")
        elif leg.status == "settled":
            last[leg.payer, leg.payee] = leg.id
            for pair, amount in (
                ((leg.payer, leg.payee), leg.amount),
                ((leg.payee, leg.payer), -leg.amount),
            ):
                settled[pair] = settled.get(pair, 0) + amount
    pairs = dict.fromkeys((*wanted, *settled))
    for payer, payee in pairs:
        owed = wanted.get((payer, payee), 0) - wanted.get((payee, payer), 0)
        missing = owed - settled.get((payer, payee), 0)
        if missing > 0:
            # against money that went the other way it is paid back; else it is simply due
            back = None if (payer, payee) in wanted else last.get((payee, payer))
            leg = _due(recorded, deal, payer, payee, missing, reverses=back)
            new[leg.id] = leg
    return new


def _due(
    recorded: Recorded,
    deal: int,
    payer: Player,
    payee: Player,
    amount: Amount,
    reverses: str | None = None,
) -> Payment:
    # a correction can make legs of several deals due at one version
    corrects = isinstance(recorded.event, e.DealCorrected)
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


def by_correction(payment: str) -> bool:
    """Whether a correction made it due: then its id begins with a version and a deal."""
    return "." in payment.partition("-")[0]


def outstanding(payments: Payments) -> tuple[Payment, ...]:
    return tuple(payment for payment in payments.values() if payment.status == "due")
