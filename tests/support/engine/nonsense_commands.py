"""Random actions of valid shape, most of them nonsense.

They are made from the types of the actions, so that a new action needs no line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import inspect

from engine import commands as c
from engine.cards import RANKS, SUITS
from tests.support.engine.random_walk import AnyCommand

CARDS = [rank + suit for suit in SUITS for rank in RANKS]
SHAPES = {kind: inspect.type_info(kind) for kind in c.Command.__subclasses__()}
PLAYER, SIDE = r"^p[1-9][0-9]{0,2}$", r"^p[1-9][0-9]{0,2}\+p[1-9][0-9]{0,2}$"


def make_nonsense(people: Sequence[str], die: Random) -> c.Command:
    """Return one action of any kind, mostly with ordinary people, cards and numbers."""
    random_values = _RandomValues((*people, *people, "p9"), die)
    kind, shape = die.choice(list(SHAPES.items()))
    assert isinstance(shape, inspect.StructType)
    while True:
        fields = {"type": kind.__struct_config__.tag}
        for field in shape.fields:
            if field.required or die.random() < 0.4:
                fields[field.name] = random_values.of(field.type)
        try:
            return msgspec.convert(fields, AnyCommand)
        except msgspec.ValidationError:
            continue  # the shape is refused before the rules are applied


class _RandomValues:
    """Random values of any type that a field of an action has."""

    def __init__(self, people: tuple[str, ...], die: Random) -> None:
        self.people = people
        self.die = die

    def of(self, kind: inspect.Type) -> Any:
        die = self.die
        match kind:
            case inspect.StrType(pattern=pattern) if pattern == PLAYER:
                return die.choice(self.people)
            case inspect.StrType(pattern=pattern) if pattern == SIDE:
                return die.choice(("p1+p3", "p2+p4", "p3+p1", "p1+p1", "p7+p9"))
            case inspect.StrType():
                return die.choice(CARDS)
            case inspect.IntType(ge=lowest, le=most):
                lowest = -1 if lowest is None else lowest
                return die.randint(lowest, lowest + 6 if most is None else most)
            case inspect.BoolType():
                return die.random() < 0.5
            case inspect.NoneType():
                return None
            case inspect.LiteralType(values=values):
                return die.choice(values)
            case inspect.UnionType(types=types):
                return self.of(die.choice([t for t in types if not _unset(t)]))
            case inspect.VarTupleType(item_type=item):
                return [self.of(item) for _ in range(die.choice((0, 1, 1, 2, 2, 3, 4, 5, 6)))]
            case inspect.TupleType(item_types=items):
                return [self.of(item) for item in items]
            case inspect.DictType(key_type=key, value_type=value):
                return {self.of(key): self.of(value) for _ in range(die.randint(0, 4))}
            case inspect.StructType(fields=fields):
                return {field.name: self.of(field.type) for field in fields}
        raise AssertionError(f"unsupported field type: {kind}")


def _unset(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.CustomType)
