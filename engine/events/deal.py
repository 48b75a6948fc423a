"""A deal from its opening to its end: its cards, tricks and result; players change seats."""

from typing import Literal

import msgspec

from engine.cards import Card
from engine.commands import Contestant, Vola
from engine.events.event import BaseEvent, InputEvent
from engine.values import Amount, Player, Seats


class DealOpened(InputEvent, frozen=True, kw_only=True):
    number: int
    dealer: Player
    seats: Seats
    stake: Amount = 0  # none in a game for points
    played_for: Amount = 0  # fixed here: the pot and the smallest bet (docs/rules.md §1.6)


class Reseated(InputEvent, frozen=True, kw_only=True):
    seats: Seats
    dealer: Player  # of the next deal


class CardDiscarded(InputEvent, frozen=True, kw_only=True):
    player: Player
    card: Card | None = None


class HandShown(InputEvent, frozen=True, kw_only=True):
    player: Player
    cards: tuple[Card, ...]


class CardPlayed(InputEvent, frozen=True, kw_only=True):
    player: Player
    card: Card


class TrickWon(BaseEvent, frozen=True, kw_only=True):
    """By the cards that were played to it."""

    winner: Player


class TrickRecorded(InputEvent, frozen=True, kw_only=True):
    winner: Player


class TricksCounted(InputEvent, frozen=True, kw_only=True):
    taken: dict[Contestant, int]


class LaVolaAnnounced(InputEvent, frozen=True, kw_only=True):
    player: Player


class VoleAnnounced(InputEvent, frozen=True, kw_only=True):
    player: Player


class ResultRecorded(InputEvent, frozen=True, kw_only=True):
    winner: Player | msgspec.UnsetType | None = msgspec.UNSET
    la_vola: Vola | msgspec.UnsetType = msgspec.UNSET
    vole: Vola | msgspec.UnsetType = msgspec.UNSET


class PlayFinished(InputEvent, frozen=True, kw_only=True): ...


Outcome = Literal[
    "won", "nobody", "all_pass", "la_vola_won", "la_vola_lost",
    "lost", "vole_not_all", "scored", "played_alone", "redealt",
]  # fmt: skip


class DealClosed(BaseEvent, frozen=True, kw_only=True):
    deal: int
    outcome: Outcome
    next_dealer: Player
    declarers: tuple[Player, ...] = ()
    winner: Player | None = None
    la_vola: Player | None = None
    tricks: tuple[Player, ...] = ()  # who took them, in order, as far as recorded
    # how many each player or side took, in a game for points
    taken: dict[Contestant, int] = msgspec.field(default_factory=dict)
