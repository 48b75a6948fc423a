"""Every option that a table can agree on before the first deal, read from a game's own options.

For a whole number the values are its limits, the default, and smaller ones, so that games for
points end soon.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import msgspec
from msgspec import inspect

Positions = dict[str, tuple[Any, ...]]


@cache
def positions(options: type[Any]) -> Positions:
    """Return every option by name, with the values to try."""
    kind = inspect.type_info(options)
    assert isinstance(kind, inspect.StructType)
    return {field.name: tuple(_values(field.type, field.default)) for field in kind.fields}


def _values(kind: inspect.Type, usual: Any) -> dict[Any, None]:
    match kind:
        case inspect.LiteralType(values=values):
            return dict.fromkeys(values)
        case inspect.BoolType():
            return dict.fromkeys((False, True))
        case inspect.NoneType():
            return {None: None}
        case inspect.UnionType(types=types):
            return {value: None for part in types for value in _values(part, usual)}
        case inspect.IntType(ge=int(least), le=int(most)):
            often = 40 if usual is None else usual
            tried = (least, often // 10, often // 3, often, most)
            return dict.fromkeys(value for value in tried if least <= value <= most)
    raise AssertionError(f"unsupported option type: {kind}")


def draw_options(options: type[Any], die: Random, **fixed: Any) -> dict[str, Any]:
    """Return random options, except those in `fixed`; a number of 1000 or more is drawn again in
    four cases of five."""
    agreed = {}
    for name, values in positions(options).items():
        value = die.choice(values)
        if isinstance(value, int) and value >= 1000 and die.random() < 0.8:
            value = die.choice(values)
        agreed[name] = value
    agreed |= fixed
    msgspec.convert(agreed, options)
    return agreed


def every_position(options: type[Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, values in positions(options).items() for value in values]
