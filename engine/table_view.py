"""What a game is to the rest of the house: a name, how many sit, and how it decides.

Shared code never asks which game it has; it asks the game.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from engine.cards import Card
from engine.commands import Command, Side
from engine.events import Event, Policy
from engine.play import Play, Rule
from engine.points import Scoring, Sheet
from engine.values import Amount, Player, Seats

Facts = tuple[Event, ...]


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A deal about to be opened: everything that is known around the table, not of the game."""

    number: int
    dealer: Player
    seats: Seats
    funds: Amount  # the dealer's balance, everything owed counted as paid


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """Who sat in the last deal, and who dealt it: they share what is left over."""

    dealer: Player
    seats: Seats


class Legal(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that may be done now, and the values that each of its fields may have.

    A field is `{"values": […]}` or `{"min", "max"}`; too many lists to list are described:
    from `min` to `max` different ones of `keys`, those in `including` among them. A field that
    counts is `{"sum", "keys"}`: whole numbers by key, none below zero, that add up to the sum.
    """

    type: str
    fields: dict[str, Any] = {}
    optional: tuple[str, ...] = ()


class OpenDealView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What anybody at the table can see of the deal in play."""

    phase: str
    played_for: Amount | None = None
    declarers: tuple[Player, ...] = ()
    trump: str | None = None
    turn: Player | None = None  # whose word or card is awaited
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


class CardsNow(msgspec.Struct, frozen=True, kw_only=True):
    """The cards on the table, and the rule by which the next one is played."""

    play: Play
    rule: Rule


class BetView(Protocol):
    """A bet that is still down, as every game with bets keeps it."""

    @property
    def number(self) -> int: ...
    @property
    def deal(self) -> int: ...
    @property
    def by(self) -> tuple[Player, ...]: ...
    @property
    def each(self) -> Amount: ...
    @property
    def amount(self) -> Amount: ...
    @property
    def paid(self) -> bool: ...


def one_of(*values: object) -> dict[str, Any]:
    return {"values": list(values)}


O = TypeVar("O")  # noqa: E741  # options
S = TypeVar("S")  # state


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[O, S]):
    """A decider: state is what the next decision needs, and only facts change it."""

    key: str  # stored with every session, so never renamed
    name: str
    seats: range
    options: type[O]
    commands: frozenset[type[Command]]
    pack: Callable[[O, Seats], tuple[Card, ...]]
    hand_size: int
    rules: Callable[[O], Mapping[str, str]]  # behind each reason of a posting: engine/cited.py
    scoring: Scoring | None  # a sheet of points; without one there are a pot and balances
    start: Callable[[O, Seats], S]
    open: Callable[[O, S, Opening], Facts]
    decide: Callable[[O, S, Command], Facts]
    evolve: Callable[[S, Any], S]  # its own facts only; another game's are a fault
    legal: Callable[[O, S], tuple[Legal, ...]]
    view: Callable[[S], OpenDealView | None]
    sheet: Callable[[S], Sheet | None]
    cards: Callable[[O, S], CardsNow | None]  # none while no card can be played
    bets: Callable[[O, S], tuple[BetView, ...]]  # in playing order; none in a point game
    void: Callable[[O, Player, Seats], Player]  # who deals after a voided deal
    close: Callable[[O, S, Policy, Last], Facts]
    policy: Callable[[O], Policy]
