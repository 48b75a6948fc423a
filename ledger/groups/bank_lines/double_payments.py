"""Bank lines that together would pay one debt twice: in its evening and over all evenings, or in
two evenings after another payment has covered one of them.

The preview calls them ambiguous; line_approval.py refuses them. Pure. Source: docs/rules.md §11.2.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from engine.values import Amount
from ledger.events.event_types import Member
from ledger.groups.bank_lines.line_matching import LinePayment, LineProposal
from ledger.groups.open_balances import CurrencyBalances


def find_double_payments(
    payments: Sequence[LinePayment], balances: CurrencyBalances, settled_outside: Collection[Member]
) -> set[int]:
    """Return the places of the payments that together would take a payer above zero or a payee
    below it, if one of the two settles or has settled outside the evenings."""
    members_outside = {m for p in payments if p.session is None for m in (p.payer, p.payee)}
    members_outside |= set(settled_outside)
    changes: Counter[Member] = Counter()
    for payment in payments:
        changes[payment.payer] += payment.amount
        changes[payment.payee] -= payment.amount

    def balance_after(member: Member) -> Amount:
        return balances.of_member(member) + changes[member]

    return {
        place
        for place, payment in enumerate(payments)
        if not members_outside.isdisjoint((payment.payer, payment.payee))
        and (balance_after(payment.payer) > 0 or balance_after(payment.payee) < 0)
    }


def mark_double_payments(
    proposals: Sequence[LineProposal],
    balances: CurrencyBalances | None,
    settled_outside: Collection[Member],
) -> tuple[LineProposal, ...]:
    """Return the proposals, with those marked ambiguous that would pay a debt twice together."""
    if balances is None:
        return tuple(proposals)
    marked_proposals = list(proposals)
    while True:
        proposed = [
            i for i, proposal in enumerate(marked_proposals) if proposal.status == "proposed"
        ]
        payments = [_payment(marked_proposals[i]) for i in proposed]
        doubles = find_double_payments(payments, balances, settled_outside)
        if not doubles:
            return tuple(marked_proposals)
        for place in doubles:
            marked_proposals[proposed[place]] = replace(
                marked_proposals[proposed[place]], status="ambiguous"
            )


def _payment(proposal: LineProposal) -> LinePayment:
    (fit,) = proposal.fits
    return replace(fit.transfer, amount=abs(proposal.line.amount))
