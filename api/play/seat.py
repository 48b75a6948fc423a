"""What one player knows when it is his turn: his own cards, and what lies open on the table.

Nothing of anybody else's hand is here, so nobody can use it.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

from engine.cards import Card, Suit, suit
from engine.commands import Command
from engine.game import OpenDealView
from engine.values import Player, Seats

Purpose = Literal["exchange", "turn_up", "give", "give_back"]
"""Why cards leave a hand unseen: for the talon, for the card turned up, to or from a partner."""


@dataclass(frozen=True, kw_only=True)
class Seat:
    """The table from one chair."""

    player: Player
    hand: tuple[Card, ...] | None  # none: dealt, but not looked at
    view: OpenDealView
    dealer: Player
    seats: Seats
    partner: Player | None = None
    partner_counts: int | None = None  # the tricks that a partner says he can take

    @property
    def trump(self) -> Suit | None:
        """Named or turned up; none before, or where a suit is trumps for ever."""
        if self.view.trump is None and self.view.turn_up:
            return suit(self.view.turn_up)
        return self.view.trump  # type: ignore[return-value]  # the view says it as text


class Mind(Protocol):
    """Whoever decides for a player: a die, some card sense, or a person."""

    def chooses(self, seat: Seat, choices: list[Command | None]) -> Command | None:
        """One of these; none is among them where one may say nothing."""
        ...

    def lays(self, seat: Seat, count: int, purpose: Purpose) -> tuple[Card, ...]:
        """So many different cards of his hand."""
        ...

    def looks(self, seat: Seat) -> bool:
        """Whether he looks at his cards, although he could still bid without."""
        ...

    def counts(self, seat: Seat) -> int:
        """How many tricks he tells his partner to expect."""
        ...
