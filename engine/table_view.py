"""What a player can see of the open deal, and what can be recorded next."""

from typing import Any

import msgspec

from engine.cards import Card
from engine.commands import Side
from engine.values import Amount, Player


def one_of(*values: object) -> dict[str, Any]:
    return {"values": list(values)}


class LegalAction(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that may be done now, and the values that each of its fields may have.

    A field is `{"values": […]}` or `{"min", "max"}`. Where there are too many lists to write out,
    `min`, `max`, `keys` and `including` describe a list of `min` to `max` different `keys` that has
    those in `including`. A field that counts is `{"sum", "keys"}`: whole numbers by key, none below
    zero, that add up to the sum.
    """

    type: str
    fields: dict[str, Any] = {}
    optional: tuple[str, ...] = ()
    undo_target: dict[str, Any] | None = None  # of `undo`: the action, its deal, and which trick

    @classmethod
    def of(cls, kind: str, *, optional: tuple[str, ...] = (), **fields: object) -> "LegalAction":
        """Return an action of this type with these fields."""
        return cls(type=kind, fields=fields, optional=optional)


class OpenDealView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What everybody at the table can see of the deal in play."""

    phase: str
    played_for: Amount | None = None
    declarers: tuple[Player, ...] = ()
    trump: str | None = None
    turn: Player | None = None  # whose call or card is awaited
    tricks: tuple[Player, ...] = ()
    cards: tuple[tuple[Player, Card], ...] = ()  # of the trick on the table
    la_vola: Player | None = None
    turn_up: Card | None = None
    bids: tuple[dict[str, Any], ...] = ()
    bidding: Side | None = None  # whose bid is awaited
    swapping: Side | None = None  # who may swap two cards before the first lead
    broken: bool | None = None  # whether a spade may be led; unknown when tricks had no cards
    staying: tuple[Player, ...] = ()
    passed: tuple[Player, ...] = ()
    exchanged: dict[Player, int] = {}
    round: int | None = None  # of exchanging
    talon: int | None = None  # cards left to exchange
