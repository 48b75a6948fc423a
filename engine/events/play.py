"""Cards and tricks, and the announcement of la vola."""

from engine.cards import Card
from engine.commands import Contestant
from engine.events.event import BaseEvent, InputEvent
from engine.values import Player


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
