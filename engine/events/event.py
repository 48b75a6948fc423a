"""What every event is: a fact with a tag, and whether somebody recorded it or it follows."""

import re
from typing import TYPE_CHECKING, Literal, NewType

import msgspec

from engine import cards, values

PLAYER_IDS = tuple(f"p{number}" for number in range(1, 1000))

# In events, players and cards are listed instead of matched by a pattern: they are decoded twice as
# fast, and equal ones are one string.
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
    """Something that is true from here on."""


class InputEvent(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A fact that somebody recorded; what follows from it comes right after it."""


class PlayerEvent(InputEvent, frozen=True, kw_only=True):
    """A recorded fact about one player."""

    player: Player
