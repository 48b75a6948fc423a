"""How a declarer is found: the cut, the turn-up, bids, staying and passing, exchanges."""

from typing import Literal

from engine.cards import Suit
from engine.commands import Side
from engine.events.event import BaseEvent, Card, InputEvent, Player, PlayerEvent


class CutShown(InputEvent, frozen=True, kw_only=True):
    """The cutter showed the bottom card."""

    card: Card


class CutterTook(BaseEvent, frozen=True, kw_only=True):
    """The cutter took a jack, which is mandatory."""

    player: Player
    card: Card


class CardTurnedUp(InputEvent, frozen=True, kw_only=True):
    """A card was turned up."""

    card: Card


class DealerTook(BaseEvent, frozen=True, kw_only=True):
    """The dealer had to take the card turned up: a jack, or any card after the cutter's jack."""

    player: Player
    card: Card


class TurnUpTaken(InputEvent, frozen=True, kw_only=True):
    """The dealer took the ace turned up."""


class TurnUpDeclined(InputEvent, frozen=True, kw_only=True):
    """The dealer left the ace turned up."""


class BidMade(PlayerEvent, frozen=True, kw_only=True):
    """One call of the bidding."""

    call: str


class Declared(InputEvent, frozen=True, kw_only=True):
    """Who is declarer."""

    players: tuple[Player, ...]
    trump: Suit | None = None


class AllPassed(InputEvent, frozen=True, kw_only=True):
    """Everybody passed."""


class SideBidMade(InputEvent, frozen=True, kw_only=True):
    """What two partners bid together."""

    side: Side
    tricks: int | None = None
    nil: Player | None = None
    blind_nil: Player | tuple[Player, Player] | None = None
    joint_nil: bool = False


class RedealClaimed(PlayerEvent, frozen=True, kw_only=True):
    """The hands are thrown in: a player had the right to ask for it.

    Source: docs/rules.md §3.2.
    """

    reason: Literal["no_spade", "no_court", "long_suit"]


class CardsSwapped(InputEvent, frozen=True, kw_only=True):
    """The bidder of a blind nil and the partner passed each other two cards."""

    side: Side


class SwapDeclined(InputEvent, frozen=True, kw_only=True):
    """The bidder of a blind nil kept the cards."""

    side: Side


class Stayed(PlayerEvent, frozen=True, kw_only=True):
    """This player plays the deal."""


class Passed(PlayerEvent, frozen=True, kw_only=True):
    """This player does not play the deal."""


class CardsExchanged(PlayerEvent, frozen=True, kw_only=True):
    """A player exchanged cards with the talon."""

    cards: int


class TurnUpExchanged(PlayerEvent, frozen=True, kw_only=True):
    """The dealer takes the card turned up in exchange for a card of the same hand."""
