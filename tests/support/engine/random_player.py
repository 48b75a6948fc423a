"""Anyone at any table: does again and again something that may be done, and knows no game.

Reads the list of legal actions with the field descriptions of openapi.yaml, and nothing else: no
name of a game, no state. Every deal has a mood, so that some go card by card, some by tricks, some
are told by their result alone, some are all undo; and a favourite, so that somebody takes tricks
in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from engine import commands as c
from engine.table_view import LegalAction
from tests.support.engine.random_walk import AnyCommand

RARE = {"undo": 5, "reseat": 8, "redeal": 12, "all_pass": 10}
"""How many times rarer than anything else: each of these takes an evening back, or ends a deal."""

MOODS = (1, 1, 6, 6, 40)


def command(kind: str, fields: dict[str, Any]) -> c.Command:
    """An action as it comes over the wire."""
    return msgspec.convert({"type": kind, **fields}, AnyCommand)


class RandomPlayer:
    """One who can read a list of what may be done, and throws a die."""

    def __init__(self, die: Random, but: tuple[str, ...] = ()) -> None:
        self.die = die
        self.but = but  # what this one never does
        # Whether a deal is entered late changes no play, so it is drawn apart: a seed makes the
        # same evening with and without it.
        self.late_entry_die = Random("late entry")
        self.change_mood()

    def change_mood(self) -> None:
        self.mood: dict[str, float] = {}
        self.favourite: Any = None
        self.told = self.die.random()  # how often an optional field is filled in

    def choose_command(self, actions: Sequence[LegalAction]) -> c.Command | None:
        """Something that may be done, as it would be sent; none when this one goes home, for
        nobody can play on."""
        ways = [action for action in actions if action.type not in self.but]
        if {action.type for action in ways} <= {"undo", "reseat"} and self.die.random() < 0.4:
            return None
        if not ways:
            return None
        if any(action.type == "open_deal" for action in ways):
            self.change_mood()
        action = self.die.choices(ways, [self._weight(way.type) for way in ways])[0]
        return self.say(action)

    def _weight(self, kind: str) -> float:
        if kind not in self.mood:
            self.mood[kind] = self.die.choice(MOODS) / RARE.get(kind, 1)
        return self.mood[kind]

    def say(self, action: LegalAction) -> c.Command:
        """One of the many actions that this entry stands for."""
        return command(action.type, self.fields(action))

    def fields(self, action: LegalAction) -> dict[str, Any]:
        """What it is said with."""
        fields = {}
        for name, allowed in action.fields.items():
            if name == "late_entry":
                fields[name] = self.late_entry_die.choice(allowed["values"])
                continue
            if name in action.optional and self.die.random() > self.told:
                continue
            fields[name] = self._value(allowed)
        return fields

    def _value(self, allowed: dict[str, Any]) -> Any:
        match allowed:
            case {"values": values}:
                return self._choice(values)
            case {"sum": total, "keys": keys}:
                tricks_taken = Counter(self._choice(keys) for _ in range(total))
                named = self.die.random() < 0.5  # also those who have none
                return {key: tricks_taken[key] for key in keys if named or tricks_taken[key]}
            case {"min": least, "max": most, "keys": keys, "including": must}:
                count = self.die.randint(least, most)
                optional_keys = [key for key in keys if key not in must]
                return [*must, *self.die.sample(optional_keys, count - len(must))]
            case {"min": least, "max": most}:
                return self.die.choice((least, most, self.die.randint(least, most)))
        raise AssertionError(f"openapi.yaml has no such field: {allowed}")

    def _choice(self, values: list[Any]) -> Any:
        """The favourite more often than others."""
        if self.favourite is None and len(values) > 1:
            first = self.die.choice(values)
            self.favourite = first[0] if isinstance(first, list) else first
        for value in (self.favourite, [self.favourite]):
            if value in values and self.die.random() < 0.6:
                return value
        return self.die.choice(values)


def every_edge(action: LegalAction, die: Random) -> Iterator[c.Command]:
    """Every value of a listed field, both ends of a range, some lists and sums; with and without
    what is optional. One field varies at a time."""
    random_player = RandomPlayer(die)
    random_player.told = 1.0
    usual = random_player.fields(action)
    yield command(action.type, usual)
    for name in action.optional:
        yield command(action.type, {n: v for n, v in usual.items() if n != name})
    for name, allowed in action.fields.items():
        for value in _edges(allowed, random_player):
            yield command(action.type, {**usual, name: value})


def _edges(allowed: dict[str, Any], random_player: RandomPlayer) -> Iterator[Any]:
    match allowed:
        case {"values": values}:
            yield from values
        case {"sum": total, "keys": keys}:
            yield from ({key: total} for key in keys)
        case {"keys": _}:
            yield from (random_player._value(allowed) for _ in range(2))
        case {"min": least, "max": most}:
            yield from (least, most)


def covers(actions: Sequence[LegalAction], command_given: c.Command) -> bool:
    """Whether some entry of the list stands for this action."""
    kind = command_given.__struct_config__.tag
    fields = {
        name: value
        for name, value in msgspec.to_builtins(command_given).items()
        if name != "type" and not is_left_out(command_given, name)
    }
    return any(action.type == kind and _fits(action, fields) for action in actions)


def is_left_out(command_given: c.Command, name: str) -> bool:
    """Whether a field says no more than if it were not there."""
    fields = {field.name: field for field in msgspec.structs.fields(command_given)}
    default = fields[name].default
    return default is not msgspec.NODEFAULT and bool(getattr(command_given, name) == default)


def _fits(action: LegalAction, fields: dict[str, Any]) -> bool:
    if not fields.keys() <= action.fields.keys():
        return False
    for name, allowed in action.fields.items():
        if name not in fields:
            if name not in action.optional:
                return False
        elif not _allows(allowed, fields[name]):
            return False
    return True


def _allows(allowed: dict[str, Any], value: Any) -> bool:
    match allowed:
        case {"values": values}:
            return _unordered(value) in map(_unordered, values)
        case {"sum": total, "keys": keys}:
            return sum(value.values()) == total and value.keys() <= set(keys)
        case {"min": least, "max": most, "keys": keys, "including": must}:
            different = set(value)
            fits = different <= set(keys) and set(must) <= different
            return fits and least <= len(different) == len(value) <= most
        case {"min": least, "max": most}:
            return bool(least <= value <= most)
    raise AssertionError(f"openapi.yaml has no such field: {allowed}")


def _unordered(value: Any) -> Any:
    """Two who declare together are the same two in either order."""
    return sorted(value) if isinstance(value, list | tuple) else value
