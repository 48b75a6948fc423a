"""A random player at any table, which repeats any of the legal actions and depends on no game.

It reads the list of legal actions with the field descriptions of openapi.yaml, and nothing else: no
name of a game, no state. Every deal has a mood, so that some are recorded card by card, some by
tricks, some by their result alone, and some mostly undone; and a favourite, so that one player
takes several tricks in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from engine import commands as c
from engine.table_view import LegalAction
from tests.support.engine.random_walk import command

RARE = {"undo": 5, "reseat": 8, "redeal": 12, "all_pass": 10}
"""How many times less likely than others: each of these goes back in the session, or ends a
deal."""

MOODS = (1, 1, 6, 6, 40)


class RandomPlayer:
    """A player that reads the list of legal actions, and chooses at random."""

    def __init__(self, die: Random, but: tuple[str, ...] = ()) -> None:
        self.die = die
        self.but = but  # the types of actions that this player never chooses
        # Late entry changes no play, so it has a die of its own: a seed gives the same session with
        # it and without it.
        self.late_entry_die = Random("late entry")
        self.change_mood()

    def change_mood(self) -> None:
        self.mood: dict[str, float] = {}
        self.favourite: Any = None
        self.fill_probability = self.die.random()  # probability that an optional field is filled in

    def choose_command(self, actions: Sequence[LegalAction]) -> c.Command | None:
        """Return a legal action as a client sends it, or None when nobody can play on and this
        player leaves."""
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
        """Return one of the many actions that this entry allows."""
        return command(action.type, self.fields(action))

    def fields(self, action: LegalAction) -> dict[str, Any]:
        """Return values for the fields of the action."""
        fields = {}
        for name, allowed in action.fields.items():
            if name == "late_entry":
                fields[name] = self.late_entry_die.choice(allowed["values"])
                continue
            if name in action.optional and self.die.random() > self.fill_probability:
                continue
            fields[name] = self._value(allowed)
        return fields

    def _value(self, allowed: dict[str, Any]) -> Any:
        match allowed:
            case {"values": values}:
                return self._choice(values)
            case {"sum": total, "keys": keys}:
                tricks_taken = Counter(self._choice(keys) for _ in range(total))
                named = self.die.random() < 0.5  # then with those who have none
                return {key: tricks_taken[key] for key in keys if named or tricks_taken[key]}
            case {"min": least, "max": most, "keys": keys, "including": must}:
                count = self.die.randint(least, most)
                optional_keys = [key for key in keys if key not in must]
                return [*must, *self.die.sample(optional_keys, count - len(must))]
            case {"min": least, "max": most}:
                return self.die.choice((least, most, self.die.randint(least, most)))
        raise AssertionError(f"openapi.yaml has no such field: {allowed}")

    def _choice(self, values: list[Any]) -> Any:
        """Choose a value, the favourite more often than others."""
        if self.favourite is None and len(values) > 1:
            first = self.die.choice(values)
            self.favourite = first[0] if isinstance(first, list) else first
        for value in (self.favourite, [self.favourite]):
            if value in values and self.die.random() < 0.6:
                return value
        return self.die.choice(values)


def every_edge(action: LegalAction, die: Random) -> Iterator[c.Command]:
    """Yield an action for every value of a listed field, for both ends of a range, for some lists
    and sums, and with and without optional fields. One field varies at a time."""
    random_player = RandomPlayer(die)
    random_player.fill_probability = 1.0
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
    """Return whether an entry of the list allows this action."""
    kind = command_given.__struct_config__.tag
    fields = {
        name: value
        for name, value in msgspec.to_builtins(command_given).items()
        if name != "type" and not is_left_out(command_given, name)
    }
    return any(action.type == kind and _fits(action, fields) for action in actions)


def is_left_out(command_given: c.Command, name: str) -> bool:
    """Return whether a field has its default, as if it were left out."""
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
    """Return a list in sorted order: two declarers are the same pair in either order."""
    return sorted(value) if isinstance(value, list | tuple) else value
