"""What lies in the pot and on bets when the evening ends, and to whom it goes.

"Everybody" are those who sat in the last deal, or who sit if none was played; a bet goes back to
those who laid it even if they have left. Source: docs/rules.md §5.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from engine import events
from engine.errors import LeftoversToPlayFor
from engine.scoring.bet_stack import Bet
from engine.tricks.deal import LastDeal
from engine.values import Amount, Player, clockwise_from, left_of, split


def distribute_leftovers(
    policy: events.LeftoverPolicy, pot: Amount, bets: Sequence[Bet], last: LastDeal
) -> Iterator[events.Event]:
    """Yield the events that distribute pot and bets. Raise LeftoversToPlayFor if the policy is to
    play on for them."""
    if policy == "carry" or (not pot and not bets):
        return
    order = clockwise_from(left_of(last.dealer, last.seats), last.seats)
    on_bets = sum(bet.amount for bet in bets)
    match policy:
        case "play_on":
            raise LeftoversToPlayFor(pot=pot, bets=on_bets)
        case "refund_bets":
            yield from _refund(pot, bets, split(pot, order))
        case "split_equal":
            yield from _split_equally(pot, bets, split(pot + on_bets, order))
        case _:
            assert_never(policy)


def _refund(
    pot: Amount, bets: Sequence[Bet], shares: dict[Player, Amount]
) -> Iterator[events.Event]:
    if pot:
        yield events.PotShared(shares=_shares(shares))
    for bet in bets:
        if bet.paid:
            shares_of_bet = tuple(events.Share(player=owner, amount=bet.each) for owner in bet.by)
            yield events.BetShared(bet=bet.number, shares=shares_of_bet)
        else:
            yield events.BetWaived(bet=bet.number)


def _split_equally(
    pot: Amount, bets: Sequence[Bet], owed: dict[Player, Amount]
) -> Iterator[events.Event]:
    """Fill everybody's share from the pot first, then from the bets as they were laid."""

    def fill(amount: Amount) -> tuple[events.Share, ...]:
        portions = {}
        for player, due in owed.items():
            portions[player] = min(amount, due)
            amount -= portions[player]
            owed[player] = due - portions[player]
        return _shares(portions)

    if pot:
        yield events.PotShared(shares=fill(pot))
    for bet in bets:
        if not bet.paid:
            yield events.BetCollected(bet=bet.number, by=bet.by, each=bet.each)
        yield events.BetShared(bet=bet.number, shares=fill(bet.amount))


def _shares(amounts: dict[Player, Amount]) -> tuple[events.Share, ...]:
    return tuple(events.Share(player=p, amount=amount) for p, amount in amounts.items() if amount)
