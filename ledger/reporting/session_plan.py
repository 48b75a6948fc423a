"""The payment plan of a session: what it is at this version, and at its close.

Knows no language.
"""

from engine.values import Amount, Player
from ledger.projections.postings import POT
from ledger.reporting import payment_plan
from ledger.reporting.payment_plan import Transfer
from ledger.session.session_state import SessionState


def plan_transfers(session: SessionState, treasurer: Player | None = None) -> tuple[Transfer, ...]:
    """Return the transfers that bring every balance to zero, all by way of `treasurer` if given.

    In a closed session the plan made at its close stands, less what has been paid since.
    """
    owed = balances_and_pot(session)
    if session.carried_to:
        return ()  # settled in the session that goes on from this one
    if treasurer is not None:
        return payment_plan.plan_through_treasurer(owed, treasurer)
    if not session.table.closed:
        return payment_plan.plan_payments(owed)
    paid = session.net_paid_since_closing
    owed_at_close = {player: amount - paid.get(player, 0) for player, amount in owed.items()}
    return payment_plan.plan_payments(owed, earlier_plan=payment_plan.plan_payments(owed_at_close))


def balances_and_pot(session: SessionState) -> dict[Player, Amount]:
    """Return what each player and the pot are owed; adds up to zero."""
    return {**session.balances, POT: -sum(session.balances.values())}
