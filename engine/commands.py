"""What somebody at the table says. The tag of each is its `type` on the wire.

A game refuses the commands that it does not know. The structs are the one place where the shape
of an action is written: the API's schemas are made from them.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from engine.cards import Card, Suit
from engine.values import Player

Side = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}\+p[1-9][0-9]{0,2}$")]
Contestant = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}(\+p[1-9][0-9]{0,2})?$")]
"""Two partners as one: `p1+p3`."""


class FieldsConflict(ValueError):
    """Fields of a command that do not go together: a stable code, and their names."""

    def __init__(self, code: str, **fields: str) -> None:
        super().__init__(f"{code}: {', '.join(fields.values())}" if fields else code)
        self.code, self.fields = code, fields


class Command(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
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


class Vole(Command, frozen=True, kw_only=True, tag="vole"):
    player: Player


class Finish(Command, frozen=True, kw_only=True, tag="finish"): ...


class Vola(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an announced la vola (in Denmark: vole) went."""

    player: Player
    won: bool


class Result(Command, frozen=True, kw_only=True, tag="result"):
    """Only the outcome: who won (null: nobody, one trick each among five), or how la vola went.

    A `vole` comes with its winner, for a game can be won although not every trick was.
    """

    winner: Player | msgspec.UnsetType | None = UNSET
    la_vola: Vola | msgspec.UnsetType = UNSET
    vole: Vola | msgspec.UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.vole is not UNSET and self.winner is UNSET:
            raise FieldsConflict("comes_with", one="vole", other="winner")
        if (self.winner is UNSET) == (self.la_vola is UNSET):
            raise FieldsConflict("one_of_two", one="winner", other="la_vola")


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


class SideBid(Command, frozen=True, kw_only=True, tag="side_bid"):
    """What two partners bid together: tricks, somebody's nil beside them, or nothing but nil."""

    side: Side
    tricks: Annotated[int, Meta(ge=1, le=13)] | None = None
    nil: Player | None = None
    blind_nil: Player | tuple[Player, Player] | None = None
    joint_nil: bool = False

    def __post_init__(self) -> None:
        match self.tricks, self.nil, self.blind_nil, self.joint_nil:
            case (None, None, None, True):
                return
            case (int(), _, None | str(), False) if not (self.nil and self.blind_nil):
                return
            case (None, str(), str(), False) | (None, None, tuple(), False):
                return
        raise FieldsConflict("side_bid")


class Redeal(Command, frozen=True, kw_only=True, tag="redeal"):
    player: Player
    reason: Literal["no_spade", "no_court", "long_suit"]


class Swap(Command, frozen=True, kw_only=True, tag="swap"): ...


class NoSwap(Command, frozen=True, kw_only=True, tag="no_swap"): ...


class Tricks(Command, frozen=True, kw_only=True, tag="tricks"):
    """How many tricks everybody took, or each side; who is left out took none."""

    taken: dict[Contestant, Annotated[int, Meta(ge=0, le=13)]]


class Stay(Command, frozen=True, kw_only=True, tag="stay"):
    player: Player


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    player: Player


class Exchange(Command, frozen=True, kw_only=True, tag="exchange"):
    """So many cards in this round; or the dealer's swap for the card turned up."""

    player: Player
    cards: Annotated[int, Meta(ge=1, le=5)] | None = None
    turn_up: bool = False

    def __post_init__(self) -> None:
        if (self.cards is None) != self.turn_up:
            raise FieldsConflict("one_of_two", one="cards", other="turn_up")
