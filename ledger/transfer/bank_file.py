"""The lines of an account in a file from a bank or from Swish: the meaning of the columns, and the
content of each line.

Knows no group, and stores nothing.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from engine.values import Amount
from ledger.events.currency import currency_places
from ledger.events.event_types import Currency
from ledger.groups.bank_lines.line_matching import BankLine
from ledger.transfer.csv_table import amounts, dates
from ledger.transfer.csv_table.amounts import DecimalSign
from ledger.transfer.csv_table.cells import ColumnNumber, ColumnNumbers
from ledger.transfer.csv_table.columns import (
    Column,
    amount_column,
    describe_columns,
    find_date_order,
    heading_meaning,
    is_text_heading,
    is_total,
)
from ledger.transfer.csv_table.dates import DateOrder
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import CsvRow, CsvTable

CURRENCY_CODE = re.compile(r"[A-Z]{3}")
"""A column that has only these says nothing about a payment."""
DECIMALS = re.compile(r"[0-9][.,][0-9]{2}(?![0-9.,])")
CURRENCY_HEADINGS = frozenset(
    {"valuta", "currency", "währung", "waehrung", "valuutta", "transaktionsvaluta"}
    | {"payment currency", "source currency"}
)
"""The headings of the currency in which a line is booked."""
BALANCE_WORDS = frozenset({"saldo", "balance", "kontostand"})
BALANCE_TEXTS = frozenset(
    {"anfangssaldo", "endsaldo", "kontostand", "alter kontostand", "neuer kontostand"}
)
"""What German banks write above and below the lines, some with a date and an amount."""
STATUS_HEADINGS = frozenset({"status", "state", "info", "tila", "direction"})
OTHER_STATUSES = frozenset(
    {"reserverat", "reserverad", "reserveret", "reservert", "reserved", "varaus", "vorgemerkt"}
    | {"umsatz vorgemerkt", "offen", "ausstehend", "venter", "väntar", "pending", "reverted"}
    | {"declined", "failed", "cancelled", "canceled", "denied", "abgelehnt", "neutral"}
)
"""What banks write in place of the date or as the status of a payment that is not booked yet, or
withdrawn, and Wise as the direction of one between a person's own balances."""
GROSS_WORDS = frozenset({"brutto", "gross"})
"""The heading of what the other person has paid or got, beside the net after the bank's fee."""
DIRECTIONS = (
    ("s", "h"), ("soll", "haben"), ("d", "k"), ("debet", "kredit"), ("d", "c"),
    ("debit", "credit"), ("out", "in"), ("swr", "swh"), ("swu", "swh"),
    *((minus, "+") for minus in amounts.MINUS_SIGNS),
)  # fmt: skip
"""What banks write in a column beside the amount if it went out, and if it came in; SWR, SWU and
SWH are in Handelsbanken's report of a Swish number what was refunded, paid out and paid in."""


class BankColumns(msgspec.Struct, frozen=True, kw_only=True):
    """Which columns hold what, counted from 1. The amount stands in one column with a sign, or in
    two: `debit` went out, `credit` came in."""

    date: ColumnNumber
    amount: ColumnNumber | None = None
    debit: ColumnNumber | None = None
    credit: ColumnNumber | None = None
    texts: ColumnNumbers = ()

    @property
    def amounts(self) -> tuple[int, ...]:
        """The columns with amounts."""
        return tuple(column for column in (self.amount, self.debit, self.credit) if column)


class Notation(msgspec.Struct, frozen=True, kw_only=True):
    """How a file writes dates and amounts of its currency; None where the cells must show it."""

    currency: Currency
    date_order: DateOrder | None = None
    decimal_sign: DecimalSign | None = None
    three_decimals: bool = False


def guess_columns(table: CsvTable) -> BankColumns:
    """Return what the columns of a bank's table hold, by their headings and cells.
    Raise TableRefusal."""
    table = _without_other_rows(table)
    columns: Sequence[Column] = describe_columns(table)
    # by their headings first: the cells of one file may look otherwise than those of the next,
    # in which a line that is in both must have the same text
    texts = tuple(
        column.number
        for column in columns
        if is_text_heading(column.heading) or _holds_words(column)
    )
    columns = [column for column in columns if column.number not in texts]
    date = next((column.number for column in columns if column.kind == "date"), None)
    if date is None:
        raise TableRefusal("date_column_missing")
    amount_columns = [column for column in columns if column.kind == "amount"]
    candidates = [
        BankColumns(date=date, amount=column.number, texts=texts)
        for column in sorted(amount_columns, key=_precedence, reverse=True)
        if column.meaning == "amount" or _is_gross(column)
    ]
    debit, credit = amount_column(columns, "debit"), amount_column(columns, "credit")
    if debit or credit:
        candidates.append(BankColumns(date=date, debit=debit, credit=credit, texts=texts))
    if not candidates:
        unknown = [
            column
            for column in amount_columns
            if column.meaning in (None, "sum") and not _is_balance(column.heading)
        ]
        with_decimals = [column for column in unknown if any(map(DECIMALS.search, column.samples))]
        candidates = [
            BankColumns(date=date, amount=column.number, texts=texts)
            for column in with_decimals or unknown  # others may hold numbers of accounts
        ]
    if not candidates:
        raise TableRefusal("amount_column_missing")
    rows = [row for row in table.rows if not is_total(row)]
    # a column that only some lines fill, such as the amount before fees, is not that of the lines
    return max(candidates, key=lambda chosen: sum(_has_amount(row, chosen) for row in rows))


def _holds_words(column: Column) -> bool:
    return column.kind == "text" and not all(map(CURRENCY_CODE.fullmatch, column.samples))


def _precedence(column: Column) -> tuple[bool, bool]:
    """Return what counts first: "Amount" before "Original amount"."""
    return _is_gross(column), heading_meaning(column.heading.split(" ")[0]) == "amount"


def _is_gross(column: Column) -> bool:
    return not GROSS_WORDS.isdisjoint(column.heading.casefold().split())


def _is_balance(heading: str) -> bool:
    return not BALANCE_WORDS.isdisjoint(heading.casefold().split())


def read_bank_lines(
    table: CsvTable, columns: BankColumns, notation: Notation
) -> tuple[BankLine, ...]:
    """Return the lines that have an amount, in their order in the file. Raise TableRefusal."""
    table = _without_other_rows(table)
    for column in (columns.date, *columns.amounts, *columns.texts):
        if not 1 <= column <= len(table.header):
            raise TableRefusal("column_missing", column=column)
    rows = [
        row
        for row in _rows_in_currency(table, notation.currency)
        if not is_total(row) and _has_amount(row, columns)
    ]
    order = notation.date_order or find_date_order(table, columns.date)
    if order is None:
        raise TableRefusal("date_order_unclear", column=columns.date)
    sign = notation.decimal_sign or _find_decimal_sign(table, rows, columns, notation.currency)
    three_decimals = _has_three_decimals(table, rows, columns, sign)
    notation = replace(notation, date_order=order, decimal_sign=sign, three_decimals=three_decimals)
    lines = [_read_line(row, columns, notation) for row in rows]
    if columns.amount and all(line.amount >= 0 for line in lines):
        outgoing = _outgoing_rows(table.header, rows)
        lines = [
            replace(line, amount=-line.amount) if line.row in outgoing else line for line in lines
        ]
    return tuple(lines)


def _outgoing_rows(header: Sequence[str], rows: Sequence[CsvRow]) -> frozenset[int]:
    """Return the numbers of the rows that a column of directions says went out; none if no column
    certainly is one: with both directions, or with one under a heading such as Debit or S/H, or
    under none."""
    outgoing_rows: set[frozenset[int]] = set()
    for place, heading in enumerate(header):
        words = {row.number: row.cells[place].casefold() for row in rows}
        directions = {*words.values()}
        for debit, credit in DIRECTIONS:
            is_named = debit.isalpha() and (  # dashes under Debit are blank cells
                not heading
                or heading_meaning(heading) in ("debit", "credit")
                or heading.casefold() in (f"{debit}/{credit}", "direction")
            )
            if directions == {debit, credit} or (is_named and directions == {debit}):
                outgoing_rows.add(frozenset(row for row, word in words.items() if word == debit))
    return outgoing_rows.pop() if len(outgoing_rows) == 1 else frozenset()


def _without_other_rows(table: CsvTable) -> CsvTable:
    """Return the table without balances and without payments that are not booked."""
    headings = enumerate(table.header)
    statuses = [0, *(place for place, text in headings if text.casefold() in STATUS_HEADINGS)]
    rows = tuple(row for row in table.rows if not _is_other(row, statuses))
    return replace(table, rows=rows or table.rows)


def _is_other(row: CsvRow, statuses: Sequence[int]) -> bool:
    texts = [cell.casefold() for cell in row.cells]
    return not (
        BALANCE_TEXTS.isdisjoint(texts)
        and OTHER_STATUSES.isdisjoint(texts[place] for place in statuses)
    )


def _rows_in_currency(table: CsvTable, currency: Currency) -> Sequence[CsvRow]:
    """Return the rows without those that are booked in another currency, as PayPal's may be; all
    rows of a file that never names this one."""
    headings = enumerate(table.header)
    places = [place for place, text in headings if text.casefold() in CURRENCY_HEADINGS]
    codes = [{row.cells[place] for place in places if row.cells[place]} for row in table.rows]
    rows = [
        row for row, named in zip(table.rows, codes, strict=True) if not named or currency in named
    ]
    return rows if any(currency in named for named in codes) else table.rows


def _find_decimal_sign(
    table: CsvTable, rows: Sequence[CsvRow], columns: BankColumns, currency: Currency
) -> DecimalSign | None:
    """Return the decimal sign that the amounts show, or else the balances beside them."""

    def find(numbers: Sequence[int]) -> DecimalSign | None:
        cells = (((row.number, n), row.cells[n - 1]) for row in rows for n in numbers)
        return amounts.find_decimal_sign(cells, currency)

    sign, balances = find(columns.amounts), _balance_columns(table)
    if sign is None:
        with suppress(TableRefusal):  # nothing is read from a balance
            sign = find(balances)
    balance_cells = [row.cells[number - 1] for row in rows for number in balances]
    has_balances = bool(balance_cells) and amounts.BLANK.isdisjoint(balance_cells)
    if sign is None and has_balances and currency_places(currency) == 2:
        # no bank writes whole thousands alone, and SEB writes all amounts with three decimals
        sign = "." if _has_three_decimals(table, rows, columns, ".") else None
    return sign


def _has_three_decimals(
    table: CsvTable,
    rows: Sequence[CsvRow],
    columns: BankColumns,
    decimal_sign: DecimalSign | None,
) -> bool:
    """Return whether all amounts and all balances beside them have three decimals."""
    numbers = (*columns.amounts, *_balance_columns(table))
    cells = (row.cells[number - 1] for row in rows for number in numbers)
    return decimal_sign is not None and amounts.has_three_decimals(cells, decimal_sign)


def _balance_columns(table: CsvTable) -> list[int]:
    headings = enumerate(table.header, start=1)
    return [number for number, heading in headings if _is_balance(heading)]


def _read_line(row: CsvRow, columns: BankColumns, notation: Notation) -> BankLine:
    assert notation.date_order is not None, "the cells have shown it"
    date_cell = row.cells[columns.date - 1]
    if not date_cell:
        raise TableRefusal("date_missing", row=row.number, column=columns.date)
    day = dates.read_date(date_cell, notation.date_order)
    if day is None:
        raise TableRefusal("date_unreadable", row=row.number, column=columns.date)
    debit, credit = (
        abs(_read_amount(row, column, notation))
        for column in (columns.debit, columns.credit)  # with or without a minus
    )
    amount = _read_amount(row, columns.amount, notation) + credit - debit
    text = " ".join(row.cells[column - 1] for column in columns.texts if row.cells[column - 1])
    return BankLine(row=row.number, day=day, amount=amount, text=text)


def _read_amount(row: CsvRow, column: int | None, notation: Notation) -> Amount:
    if column is None:
        return 0
    cell, place = row.cells[column - 1], (row.number, column)
    sign, three_decimals = notation.decimal_sign, notation.three_decimals
    amount = amounts.read_amount(
        cell, notation.currency, sign, place, three_decimals=three_decimals
    )
    return amount or 0


def _has_amount(row: CsvRow, columns: BankColumns) -> bool:
    return any(row.cells[column - 1] not in amounts.BLANK for column in columns.amounts)
