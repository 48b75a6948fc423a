"""The base classes of events: those that somebody recorded, and those that follow from them."""

import re
from typing import TYPE_CHECKING, Literal, NewType

import msgspec

from engine import cards, values

PLAYER_IDS = tuple(f"p{number}" for number in range(1, 1000))

# Events list the values of players and cards instead of a pattern: msgspec decodes them twice as
# fast, and equal values share one string.
if TYPE_CHECKING:
    Card = cards.Card
    Player = values.Player
else:
    # a NewType, or `typing` would walk through the list with each event class
    Card = NewType("Card", Literal[cards.pack("2")])
    Player = NewType("Player", Literal[PLAYER_IDS])
Seats = tuple[Player, ...]


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A fact that holds from this event on."""


class InputEvent(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A fact that somebody recorded. The events that follow from it come right after it."""


class PlayerEvent(InputEvent, frozen=True, kw_only=True):
    """A recorded fact about one player."""

    player: Player
