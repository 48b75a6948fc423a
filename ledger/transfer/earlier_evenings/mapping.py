"""Which column of a table is which: what a person has chosen, and proposals for the rest.

A wide table has a row for each evening and a column for each player; a long one has a row for each
result. Columns count from 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from ledger.events.event_types import Member
from ledger.store.name_matching import matching_key
from ledger.transfer.csv_table.cells import ColumnNumber, ColumnNumbers
from ledger.transfer.csv_table.columns import (
    Column,
    amount_column,
    describe_columns,
    find_date_order,
)
from ledger.transfer.csv_table.dates import DateOrder
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import CsvTable

Layout = Literal["wide", "long"]

FRACTION_OF_NAMES = 2
"""A column of text has the players' names if at least one in this many cells is a member's."""


class ColumnMapping(msgspec.Struct, frozen=True, kw_only=True):
    """`results` are the players' columns of a wide table; `player`, and `amount` or `debit` and
    `credit`, those of a long one. None: not chosen, or not in this layout."""

    layout: Layout | None = None
    date: ColumnNumber | None = None
    date_order: DateOrder | None = None
    player: ColumnNumber | None = None
    amount: ColumnNumber | None = None
    debit: ColumnNumber | None = None
    credit: ColumnNumber | None = None
    results: ColumnNumbers | None = None

    @property
    def amount_columns(self) -> tuple[int, ...]:
        """The columns with amounts of this layout."""
        if self.layout == "wide":
            return self.results or ()
        return tuple(c for c in (self.amount, self.debit, self.credit) if c)


def propose_mapping(
    table: CsvTable, chosen_mapping: ColumnMapping, members: Mapping[Member, str | None]
) -> ColumnMapping:
    """Return what is chosen, with a proposal for everything else. A column that the table does not
    have counts as not chosen; `date_order` stays None if the dates can be read in two ways."""
    chosen_mapping = _without_missing_columns(chosen_mapping, len(table.header))
    columns = describe_columns(table)
    names = {matching_key(name) for name in members.values() if name}
    players = _player_column(table, columns, names)
    results = _result_columns(columns, names)
    layout = chosen_mapping.layout or ("long" if players and len(results) < 2 else "wide")
    date = chosen_mapping.date or _date_column(columns)
    date_order = chosen_mapping.date_order or (find_date_order(table, date) if date else None)
    if layout == "wide":
        results = results if chosen_mapping.results is None else chosen_mapping.results
        results = tuple(column for column in results if column != date)
        return ColumnMapping(layout=layout, date=date, date_order=date_order, results=results)
    amount, debit, credit = chosen_mapping.amount, chosen_mapping.debit, chosen_mapping.credit
    if not (amount or debit or credit):
        debit, credit = amount_column(columns, "debit"), amount_column(columns, "credit")
        if debit and not credit:  # "Vinst" means a result, but beside "Förlust" what was won
            credit = amount_column(columns, "amount")
        if not (debit and credit):
            amount = amount_column(columns, "amount") or amount_column(columns, None)
        if amount:
            debit = credit = None
    return ColumnMapping(
        layout=layout,
        date=date,
        date_order=date_order,
        player=chosen_mapping.player or players,
        amount=amount,
        debit=debit,
        credit=credit,
    )


def check_mapping(table: CsvTable, mapping: ColumnMapping) -> None:
    """Raise TableRefusal unless the evenings can be read by these columns."""
    if not mapping.date:
        raise TableRefusal("date_column_missing")
    if not mapping.date_order:
        raise TableRefusal("date_order_unclear", column=mapping.date)
    if mapping.layout == "long" and not mapping.player:
        raise TableRefusal("player_column_missing")
    if not mapping.amount_columns:
        raise TableRefusal("amount_column_missing")
    if mapping.layout == "wide":
        columns: dict[str, int] = {}
        for column in mapping.amount_columns:
            other_column = columns.setdefault(table.heading(column), column)
            if other_column != column:
                raise TableRefusal("heading_repeated", column=column, other_column=other_column)


def propose_members(
    names: Iterable[str], members: Mapping[Member, str | None]
) -> dict[str, Member | None]:
    """Return the member that each name of a table is likely to be: the one of the same name, or the
    only one with the same first name; None where there is none."""
    keys = {member: matching_key(name) for member, name in members.items() if name}
    proposals: dict[str, Member | None] = {}
    for name in names:
        key = matching_key(name)
        first_name = _first_word(key)
        exact_matches = [m for m, member_key in keys.items() if member_key == key]
        namesakes = [m for m, member_key in keys.items() if _first_word(member_key) == first_name]
        likely = exact_matches or (namesakes if len(namesakes) == 1 else [])
        proposals[name] = likely[0] if likely else None
    return proposals


def _first_word(key: str) -> str:
    return key.partition(" ")[0].rstrip(".")


def _without_missing_columns(mapping: ColumnMapping, width: int) -> ColumnMapping:
    single = {
        field: None
        for field in ("date", "player", "amount", "debit", "credit")
        if (getattr(mapping, field) or 0) > width
    }
    results = mapping.results and tuple(dict.fromkeys(c for c in mapping.results if c <= width))
    return msgspec.structs.replace(mapping, **single, results=results)


def _date_column(columns: Sequence[Column]) -> int | None:
    """Return the first column of dates with their heading, or else with one of the two."""
    of_dates = [column for column in columns if column.kind == "date"]
    by_heading = [column for column in columns if column.meaning == "date"]
    date_columns = [column for column in of_dates if column.meaning == "date"]
    return next((column.number for column in date_columns or of_dates or by_heading), None)


def _player_column(table: CsvTable, columns: Sequence[Column], names: set[str]) -> int | None:
    texts = [column for column in columns if column.kind == "text"]
    for column in texts:
        if column.meaning == "player":
            return column.number
    for column in texts:
        cells = [cell for row in table.rows if (cell := row.cells[column.number - 1])]
        member_cells = sum(matching_key(cell) in names for cell in cells)
        if member_cells * FRACTION_OF_NAMES >= len(cells):
            return column.number
    return None


def _result_columns(columns: Sequence[Column], names: set[str]) -> tuple[int, ...]:
    """Return the columns of amounts that are headed by a name, or by no other word that is known
    here; a member's column counts with whatever is in it."""
    return tuple(
        column.number
        for column in columns
        if matching_key(column.heading) in names
        or (column.kind == "amount" and column.meaning in (None, "date", "player"))
    )
