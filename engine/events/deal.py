"""A deal from its opening to its end: its cards, tricks and result; players change seats."""

from typing import Literal

import msgspec

from engine.commands import Contestant, Vola
from engine.events.event import BaseEvent, Card, InputEvent, Player, PlayerEvent, Seats
from engine.values import Amount


class DealOpened(InputEvent, frozen=True, kw_only=True):
    """A deal was opened. In a game for money the dealer has paid the stake; points have none."""

    number: int
    dealer: Player
    seats: Seats
    stake: Amount = 0  # none in a game for points
    played_for: Amount = 0  # fixed here: the pot and the smallest bet (docs/rules.md §1.6)
    late_entry: bool = False  # written in afterwards, from paper


class Reseated(InputEvent, frozen=True, kw_only=True):
    """Other players sit, or in another order, from now on."""

    seats: Seats
    dealer: Player  # of the next deal


class CardDiscarded(PlayerEvent, frozen=True, kw_only=True):
    """A sixth card was laid away."""

    card: Card | None = None


class HandShown(PlayerEvent, frozen=True, kw_only=True):
    """A hand was made known."""

    cards: tuple[Card, ...]


class CardPlayed(PlayerEvent, frozen=True, kw_only=True):
    """A card was played."""

    card: Card


class TrickWon(BaseEvent, frozen=True, kw_only=True):
    """A trick was won, by the cards that were played to it."""

    winner: Player


class TrickRecorded(InputEvent, frozen=True, kw_only=True):
    """A trick of which only the winner is known."""

    winner: Player


class TricksCounted(InputEvent, frozen=True, kw_only=True):
    """How many tricks each player or side took, without their order."""

    taken: dict[Contestant, int]


class LaVolaAnnounced(PlayerEvent, frozen=True, kw_only=True):
    """La vola was announced, before the third trick."""


class VoleAnnounced(PlayerEvent, frozen=True, kw_only=True):
    """The declarer announced a vole, before the third trick."""


class ResultRecorded(InputEvent, frozen=True, kw_only=True):
    """Only the outcome of the play is known."""

    winner: Player | msgspec.UnsetType | None = msgspec.UNSET
    la_vola: Vola | msgspec.UnsetType = msgspec.UNSET
    vole: Vola | msgspec.UnsetType = msgspec.UNSET


class PlayFinished(InputEvent, frozen=True, kw_only=True):
    """The cards were thrown in, since the winner was certain."""


Outcome = Literal[
    "won", "nobody", "all_pass", "la_vola_won", "la_vola_lost",
    "lost", "vole_not_all", "scored", "played_alone", "redealt",
]  # fmt: skip


class DealClosed(BaseEvent, frozen=True, kw_only=True):
    """How the deal ended, and who deals next."""

    deal: int
    outcome: Outcome
    next_dealer: Player
    declarers: tuple[Player, ...] = ()
    winner: Player | None = None  # who won the deal, as results and statistics count it
    la_vola: Player | None = None
    tricks: tuple[Player, ...] = ()  # who took them, in order, as far as recorded
    # how many each player or side took, in a game for points
    taken: dict[Contestant, int] = msgspec.field(default_factory=dict)
