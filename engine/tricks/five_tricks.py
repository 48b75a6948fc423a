"""The winner of five tricks, by the rule of Polskt pass and Polskpas (docs/rules.md §1.5)."""

from collections.abc import Sequence
from itertools import product

from engine.values import Player, Seats

TRICKS = 5


def winner_of_five(trick_winners: Sequence[Player]) -> Player | None:
    """Return who took three tricks, or else who was the first to take two (2-2-1, 2-1-1-1); None if
    each player took one at most."""
    for player in trick_winners:
        if trick_winners.count(player) >= 3:
            return player
    for place, player in enumerate(trick_winners):
        if player in trick_winners[:place]:
            return player
    return None


def certain_winner(trick_winners: Sequence[Player], seats: Seats) -> tuple[bool, Player | None]:
    """Whether every way to play the remaining tricks gives the same winner, and which (A-PP-7)."""
    winners = {
        winner_of_five((*trick_winners, *rest))
        for rest in product(seats, repeat=TRICKS - len(trick_winners))
    }
    return (True, winners.pop()) if len(winners) == 1 else (False, None)
