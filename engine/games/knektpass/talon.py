"""Cards for cards out of the talon: in three rounds, each in the order of the table.

Who exchanges nothing says nothing, so a round is over when somebody speaks who is not after the
last speaker. Source: docs/rules.md §4.2 EXCHANGE.
"""

from itertools import pairwise

import msgspec
from msgspec.structs import replace

from engine.errors import ExchangeRoundsOver, TalonTooSmall
from engine.tricks.five_tricks import TRICKS
from engine.values import Player, Seats

EXCHANGE_ROUNDS = 3


class Talon(msgspec.Struct, frozen=True, kw_only=True):
    """The cards that nobody was dealt, and what has been exchanged for them."""

    size: int  # when the deal was dealt
    order: Seats  # of those who stay, forehand first
    shuffled_back: bool = False  # discards come back, so there are always as many (A-KP-10)
    exchanged: tuple[tuple[Player, int], ...] = ()

    @property
    def cards_left(self) -> int:
        return self.size if self.shuffled_back else self.size - sum(n for _, n in self.exchanged)

    @property
    def max_exchange(self) -> int:
        """The most cards that anybody can exchange now."""
        return min(self.cards_left, TRICKS)

    @property
    def round(self) -> int:
        """Of the last one who exchanged; 1 before anybody has."""
        speakers = [self.order.index(player) for player, _ in self.exchanged]
        return 1 + sum(after <= before for before, after in pairwise(speakers))

    def cards_of(self, player: Player) -> tuple[int, ...]:
        """How many this player exchanged, round by round."""
        return tuple(cards for exchanger, cards in self.exchanged if exchanger == player)

    def is_open_to(self, player: Player) -> bool:
        """Whether this player still has a round to exchange in."""
        return self.exchange(player, 0).round <= EXCHANGE_ROUNDS

    def check(self, player: Player, cards: int) -> None:
        """ExchangeRoundsOver, or TalonTooSmall."""
        if not self.is_open_to(player):
            raise ExchangeRoundsOver(player=player)
        if cards > self.max_exchange:
            raise TalonTooSmall(left=self.cards_left, cards=cards)

    def exchange(self, player: Player, cards: int) -> "Talon":
        return replace(self, exchanged=(*self.exchanged, (player, cards)))
