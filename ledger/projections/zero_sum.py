"""The invariant of every session: all money adds up to zero, and all points as well."""

from engine.scoring.bet_stack import Bets
from engine.scoring.score_sheet import ScoreSheet
from engine.values import Amount
from ledger.projections.balances import Balances


def is_balanced(
    player_balances: Balances,
    pot_amount: Amount,
    bets_down: Bets,
    sheet: ScoreSheet | None,
    sheet_balance: Amount,
) -> bool:
    """Return whether players, pot and paid bets add up to zero, and scores and sheet as well."""
    money = sum(player_balances.values()) + pot_amount
    for bet in bets_down:
        if bet.paid:
            money += bet.amount
    points = sum(sheet.scores.values()) if sheet else 0
    return money == points + sheet_balance == 0
