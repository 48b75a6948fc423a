"""What every event is: a fact with a tag, and whether somebody recorded it or it follows."""

import re

import msgspec

from engine.values import Player


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """Something that is true from here on."""


class InputEvent(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A fact that somebody recorded; what follows from it comes right after it."""


class PlayerEvent(InputEvent, frozen=True, kw_only=True):
    """A recorded fact about one player."""

    player: Player
