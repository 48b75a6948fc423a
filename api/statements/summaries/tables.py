"""The small tables of a statement: pairs of a label and a value, balances, a table of contents."""

import msgspec

Pairs = list[tuple[str, object]]
"""Keys of the catalog under `statement`, with their values."""
URL_KEYS = ("shown_at", "verify")
"""The keys whose values are addresses."""


class BalanceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Who has what."""

    name: str
    rows: list[tuple[str, str]]


class SessionTable(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions of a group's statement; the last `amount_columns` columns are amounts."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    amount_columns: int
