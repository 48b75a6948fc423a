"""What a statement has beside its lines: pairs of a word and a value, and small tables."""

import msgspec

Pairs = list[tuple[str, object]]
"""What is said of something: a word of the catalog under `statement`, and its value."""
ADDRESSES = ("receipt", "verify")
"""Values that are addresses."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A small table with a name: who has what."""

    name: str
    rows: list[tuple[str, str]]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """The evenings of the statement; the last `money` columns are amounts."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    money: int
