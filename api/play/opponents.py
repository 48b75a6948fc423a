"""Opponents for a long evening: one rolls a die, one has a little sense of cards.

Both choose among what is legal, from what their own chair shows (api.play.seat). Neither knows
which game it is: sense goes by the kind of action, and where there is none, the die decides.
"""

from collections.abc import Callable
from random import Random

from api.play import sense
from api.play.seat import Mind, Purpose, Seat
from engine import commands as c
from engine.cards import Card


class Chance:
    """Any legal choice is as good as another."""

    def __init__(self, seed: str) -> None:
        self.die = Random(seed)  # noqa: S311  # cards, not secrets

    def chooses(self, seat: Seat, choices: list[c.Command | None]) -> c.Command | None:
        """Kinds of action first, so that fifty ways to bid do not drown the one to ask anew."""
        kinds = list(dict.fromkeys(type(choice) for choice in choices))
        kind = self.die.choice(kinds)
        return self.die.choice([choice for choice in choices if type(choice) is kind])

    def lays(self, seat: Seat, count: int, purpose: Purpose) -> tuple[Card, ...]:
        return tuple(self.die.sample(seat.hand or (), count))

    def looks(self, seat: Seat) -> bool:
        return self.die.random() < 0.5

    def counts(self, seat: Seat) -> int:
        return self.die.randrange(5)


class Sense(Chance):
    """Takes a trick cheaply if it wants one, else stays below; bids what its high cards promise."""

    def chooses(self, seat: Seat, choices: list[c.Command | None]) -> c.Command | None:
        said = [choice for choice in choices if choice is not None]
        for kinds, wanted in sense.BY_KIND:
            of_kind = [choice for choice in said if isinstance(choice, kinds)]
            if not of_kind:
                continue
            chosen: c.Command | None = wanted(seat, of_kind)
            if chosen is not None:
                return chosen
        if None in choices:
            return None
        quiet = [choice for choice in said if not isinstance(choice, sense.ONLY_IF_WANTED)]
        return super().chooses(seat, [*(quiet or said)])

    def lays(self, seat: Seat, count: int, purpose: Purpose) -> tuple[Card, ...]:
        best_last = sense.weakest_first(seat.hand or (), sense.trump_of(seat))
        return tuple(best_last[-count:] if purpose == "give" else best_last[:count])

    def looks(self, seat: Seat) -> bool:
        """Only who is far behind has anything to win by not looking, and mostly looks anyway."""
        return self.die.random() < 0.8

    def counts(self, seat: Seat) -> int:
        return sense.tricks(seat.hand or (), sense.trump_of(seat))


OPPONENTS: dict[str, Callable[[str], Mind]] = {"random": Chance, "simple": Sense}
