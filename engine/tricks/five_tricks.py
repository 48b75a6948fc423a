"""Five tricks, and who wins them: Polskt pass and Polskpas agree on it (docs/rules.md §1.5)."""

from collections.abc import Sequence
from itertools import product

from engine.values import Player, Seats

TRICKS = 5


def winner_of_five(taken: Sequence[Player]) -> Player | None:
    """Three tricks win; failing that, the first to two; one each among five has no winner."""
    for player in taken:
        if taken.count(player) >= 3:
            return player
    for place, player in enumerate(taken):
        if player in taken[:place]:
            return player
    return None


def certain_winner(taken: Sequence[Player], seats: Seats) -> tuple[bool, Player | None]:
    """Whether every way to play the remaining tricks gives the same winner, and which (A-PP-7)."""
    winners = {
        winner_of_five((*taken, *rest)) for rest in product(seats, repeat=TRICKS - len(taken))
    }
    return (True, winners.pop()) if len(winners) == 1 else (False, None)
