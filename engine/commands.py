"""The commands: actions that players record. The tag of each is its `type` in JSON.

A game refuses the commands that it does not know. Only these structs define the shape of an
action: the API's schemas are made from them.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from engine.cards import Card, Suit
from engine.values import Player

Side = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}\+p[1-9][0-9]{0,2}$")]
Contestant = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}(\+p[1-9][0-9]{0,2})?$")]
"""Two partners as one: `p1+p3`."""
LIST_LENGTH = Meta(min_length=1, max_length=52)


class FieldsConflict(ValueError):
    """The fields of a command do not go together. It has a stable code and the fields' names."""

    def __init__(self, code: str, **fields: str) -> None:
        super().__init__(f"{code}: {', '.join(fields.values())}" if fields else code)
        self.code, self.fields = code, fields


class Command(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One action, not yet checked against the rules."""


class OpenDeal(Command, frozen=True, kw_only=True, tag="open_deal"):
    """Open the next deal. In a game for money the dealer pays the stake."""

    # the number that the client expects: refused unless the next deal has it
    number: Annotated[int, Meta(ge=1)] | None = None
    late_entry: bool = False  # the deal was played earlier and written down on paper


class Undo(Command, frozen=True, kw_only=True, tag="undo"):
    """Take back the last action and everything that followed from it: in the open deal, else in the
    last closed deal, which is open again without it. A `merge` or `reseat` made since is taken
    back first, and so is a correction, as a whole."""


class Reseat(Command, frozen=True, kw_only=True, tag="reseat"):
    """Say between two deals who sits, clockwise. A player who leaves keeps the balance, and bets
    that the player has laid are still played for. Games for money only."""

    players: Annotated[tuple[Player, ...], LIST_LENGTH]  # who sits, clockwise
    dealer: Player | None = None


class Declare(Command, frozen=True, kw_only=True, tag="declare"):
    """Say who is declarer, in place of cut, turn-up and bidding. Two declarers only in Polskt pass:
    the dealer and the player on the dealer's right."""

    players: Annotated[tuple[Player, ...], LIST_LENGTH]
    trump: Suit | None = None


class AllPass(Command, frozen=True, kw_only=True, tag="all_pass"):
    """Everybody passed, in Polskt pass and Polskpas twice. The deal closes."""


class Trick(Command, frozen=True, kw_only=True, tag="trick"):
    """Record who won the next trick."""

    winner: Player


class LaVola(Command, frozen=True, kw_only=True, tag="la_vola"):
    """Polskt pass: announce la vola before trick 3, as the player who took the first two."""

    player: Player


class Vole(Command, frozen=True, kw_only=True, tag="vole"):
    """Polskpas: announce a vole before trick 3, as the declarer who took the first two."""

    player: Player


class Finish(Command, frozen=True, kw_only=True, tag="finish"):
    """End the play when the winner is already certain."""


class Vola(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an announced la vola (in Denmark: vole) went."""

    player: Player
    won: bool


class Result(Command, frozen=True, kw_only=True, tag="result"):
    """Record the outcome alone: who won, or how an announced la vola went. In Polskpas a vole comes
    with its winner.

    A game can be won although not every trick of an announced vole was.
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
    """Make one bet of two, after a deal that two declarers have just lost and until the next one
    opens; or with `false` take them apart again."""

    together: bool = True


class Cut(Command, frozen=True, kw_only=True, tag="cut"):
    """Record the bottom card that the cutter showed. The cutter takes a jack."""

    card: Card


class TurnUp(Command, frozen=True, kw_only=True, tag="turn_up"):
    """Record the card turned up. In Polskt pass the dealer takes a jack, and any card after the
    cutter took one."""

    card: Card


class Take(Command, frozen=True, kw_only=True, tag="take"):
    """The dealer takes the ace turned up."""


class Decline(Command, frozen=True, kw_only=True, tag="decline"):
    """The dealer leaves the ace turned up."""


class Bid(Command, frozen=True, kw_only=True, tag="bid"):
    """Record one call of the bidding, in turn."""

    player: Player
    call: Literal["accept", "pass", "C", "S", "H", "D"]


class Discard(Command, frozen=True, kw_only=True, tag="discard"):
    """Lay away a sixth card: each player with six cards, before the first `play`."""

    player: Player
    card: Card | None = None


class Play(Command, frozen=True, kw_only=True, tag="play"):
    """Play a card. The last one of a trick decides it."""

    player: Player
    card: Card


class Hand(Command, frozen=True, kw_only=True, tag="hand"):
    """Make a hand known, so that what is played from it can be checked."""

    player: Player
    cards: Annotated[tuple[Card, ...], LIST_LENGTH]


class SideBid(Command, frozen=True, kw_only=True, tag="side_bid"):
    """Spader: record what two partners bid together, the forehand's side first. They bid tricks,
    with or without a nil of one partner, or no tricks: a joint nil, or a nil of each partner."""

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
    """Spader, before the first bid: a player asks for new cards, with a hand that allows it."""

    player: Player
    reason: Literal["no_spade", "no_court", "long_suit"]


class Swap(Command, frozen=True, kw_only=True, tag="swap"):
    """Spader: the bidder of a blind nil and the partner passed each other two cards. This action
    may be left out unless cards are recorded."""


class NoSwap(Command, frozen=True, kw_only=True, tag="no_swap"):
    """Spader: the bidder of a blind nil kept the cards."""


class Tricks(Command, frozen=True, kw_only=True, tag="tricks"):
    """Spader and Knektpass: record the tricks counted at the end, thirteen or five of them. A
    player or side that is left out took none."""

    taken: dict[Contestant, Annotated[int, Meta(ge=0, le=13)]]


class Stay(Command, frozen=True, kw_only=True, tag="stay"):
    """Knektpass: this player plays the deal. The forehand speaks first, the dealer last."""

    player: Player


class Pass(Command, frozen=True, kw_only=True, tag="pass"):
    """Knektpass: this player does not play the deal."""

    player: Player


class Exchange(Command, frozen=True, kw_only=True, tag="exchange"):
    """Knektpass: exchange cards with the talon for one round, in turn. There are up to three
    rounds, ended by the first trick, and a player who exchanges nothing is left out. Or, before
    anybody has spoken, the dealer's swap for the card turned up."""

    player: Player
    cards: Annotated[int, Meta(ge=1, le=5)] | None = None
    turn_up: bool = False

    def __post_init__(self) -> None:
        if (self.cards is None) != self.turn_up:
            raise FieldsConflict("one_of_two", one="cards", other="turn_up")
