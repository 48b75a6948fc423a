"""What somebody at the table says. The tag of each is its `type` on the wire (contract.md §3).

A game refuses the commands that it does not know. The structs are the one place where the shape
of an action is written: the API's schemas are made from them.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from engine.cards import Card, Suit
from engine.values import Player


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One action, before anybody has asked whether the rules allow it."""


class OpenDeal(Command, frozen=True, kw_only=True, tag="open_deal"):
    # self-checking: that slot is free, or the request is refused
    number: Annotated[int, Meta(ge=1)] | None = None


class Undo(Command, frozen=True, kw_only=True, tag="undo"): ...


class Reseat(Command, frozen=True, kw_only=True, tag="reseat"):
    players: tuple[Player, ...]  # who sits, clockwise
    dealer: Player | None = None


class Declare(Command, frozen=True, kw_only=True, tag="declare"):
    players: tuple[Player, ...]
    trump: Suit | None = None


class AllPass(Command, frozen=True, kw_only=True, tag="all_pass"): ...


class Trick(Command, frozen=True, kw_only=True, tag="trick"):
    winner: Player


class LaVola(Command, frozen=True, kw_only=True, tag="la_vola"):
    player: Player


class Finish(Command, frozen=True, kw_only=True, tag="finish"): ...


class Vola(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an announced la vola went."""

    player: Player
    won: bool


class Result(Command, frozen=True, kw_only=True, tag="result"):
    """Only the outcome: who won (null: nobody, one trick each among five), or how la vola went."""

    winner: Player | msgspec.UnsetType | None = UNSET
    la_vola: Vola | msgspec.UnsetType = UNSET


class Merge(Command, frozen=True, kw_only=True, tag="merge"):
    together: bool = True


class Cut(Command, frozen=True, kw_only=True, tag="cut"):
    card: Card


class TurnUp(Command, frozen=True, kw_only=True, tag="turn_up"):
    card: Card


class Take(Command, frozen=True, kw_only=True, tag="take"): ...


class Decline(Command, frozen=True, kw_only=True, tag="decline"): ...


class Bid(Command, frozen=True, kw_only=True, tag="bid"):
    player: Player
    call: Literal["accept", "pass", "C", "S", "H", "D"]


class Discard(Command, frozen=True, kw_only=True, tag="discard"):
    player: Player
    card: Card | None = None


class Play(Command, frozen=True, kw_only=True, tag="play"):
    player: Player
    card: Card


class Hand(Command, frozen=True, kw_only=True, tag="hand"):
    player: Player
    cards: tuple[Card, ...]
