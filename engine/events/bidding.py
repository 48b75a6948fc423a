"""How a declarer is found: the cut, the turn-up, bids, staying and passing, exchanges."""

from typing import Literal

from engine.cards import Card, Suit
from engine.commands import Side
from engine.events.event import BaseEvent, InputEvent
from engine.values import Player


class CutShown(InputEvent, frozen=True, kw_only=True):
    card: Card


class CutterTook(BaseEvent, frozen=True, kw_only=True):
    player: Player
    card: Card


class CardTurnedUp(InputEvent, frozen=True, kw_only=True):
    card: Card


class DealerTook(BaseEvent, frozen=True, kw_only=True):
    """Mandatory: a jack was turned up, or the cutter took one."""

    player: Player
    card: Card


class TurnUpTaken(InputEvent, frozen=True, kw_only=True): ...


class TurnUpDeclined(InputEvent, frozen=True, kw_only=True): ...


class BidMade(InputEvent, frozen=True, kw_only=True):
    player: Player
    call: str


class Declared(InputEvent, frozen=True, kw_only=True):
    players: tuple[Player, ...]
    trump: Suit | None = None


class AllPassed(InputEvent, frozen=True, kw_only=True): ...


class SideBidMade(InputEvent, frozen=True, kw_only=True):
    side: Side
    tricks: int | None = None
    nil: Player | None = None
    blind_nil: Player | tuple[Player, Player] | None = None
    joint_nil: bool = False


class RedealClaimed(InputEvent, frozen=True, kw_only=True):
    """The hands are thrown in: somebody had the right to ask for it (docs/rules.md §3.2)."""

    player: Player
    reason: Literal["no_spade", "no_court", "long_suit"]


class CardsSwapped(InputEvent, frozen=True, kw_only=True):
    """A blind nil and the partner passed each other two cards."""

    side: Side


class SwapDeclined(InputEvent, frozen=True, kw_only=True):
    side: Side


class Stayed(InputEvent, frozen=True, kw_only=True):
    player: Player


class Passed(InputEvent, frozen=True, kw_only=True):
    player: Player


class CardsExchanged(InputEvent, frozen=True, kw_only=True):
    """So many cards for as many of the talon."""

    player: Player
    cards: int


class TurnUpExchanged(InputEvent, frozen=True, kw_only=True):
    """The dealer takes the card turned up in exchange for a card of the same hand."""

    player: Player
