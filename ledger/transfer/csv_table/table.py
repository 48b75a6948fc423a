"""A table with its header, from the bytes of a CSV file.

What a bank writes above the header is left out, and so are blank rows.
"""

from collections import Counter
from itertools import accumulate

import msgspec

from ledger.transfer.csv_table.amounts import is_amount
from ledger.transfer.csv_table.cells import find_delimiter, read_rows
from ledger.transfer.csv_table.dates import is_date
from ledger.transfer.csv_table.encoding import decode_text
from ledger.transfer.csv_table.refusals import TableRefusal

HEADER_SHARE = (3, 5)
"""A header fills three fifths of the columns or more; the lines that banks put above it do not."""
ROWS_BELOW_HEADER = 3


class CsvRow(msgspec.Struct, frozen=True):
    """A row below the header."""

    number: int  # as in a spreadsheet: from 1, blank rows count
    cells: tuple[str, ...]  # as many as the header has


class CsvTable(msgspec.Struct, frozen=True, kw_only=True):
    """The header and the rows of a file, and how it was read."""

    encoding: str
    delimiter: str
    header_row: int  # 0 without one
    header: tuple[str, ...]  # a heading may be blank
    rows: tuple[CsvRow, ...]  # without blank ones

    def heading(self, column: int) -> str:
        """Return the heading of a column, counted from 1; its number if that is blank."""
        return self.header[column - 1] or str(column)


def read_table(content: bytes, *, header_required: bool = True) -> CsvTable:
    """Return the table that a file holds: at least a header and one row. Some banks write no
    header: if none is required, all headings of such a file are blank. Raise TableRefusal."""
    text, encoding = decode_text(content)
    delimiter = find_delimiter(text)
    rows, widths = read_rows(text, delimiter)
    filled_rows = [*filter(any, rows)]
    header_row = _find_header(rows, widths)
    if header_row:
        # the last headings may be blank: some banks write the direction below one
        width = min(widths[header_row - 1], max(map(len, rows[header_row - 1 :])))
        header = _padded(header_row, rows[header_row - 1], width)
    elif header_required or not any(map(_is_line, filled_rows[:1])):
        raise TableRefusal("one_row" if len(filled_rows) == 1 else "no_header")
    else:
        header = ("",) * max(map(len, rows))
    return CsvTable(
        encoding=encoding,
        delimiter=delimiter,
        header_row=header_row,
        header=header,
        rows=tuple(
            CsvRow(number, _padded(number, cells, len(header)))
            for number, cells in enumerate(rows[header_row:], start=header_row + 1)
            if any(cells)
        ),
    )


def _padded(number: int, cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Return the cells of a row, as many as the header has. Raise TableRefusal."""
    if len(cells) > width:
        raise TableRefusal("row_too_wide", row=number)
    return cells + ("",) * (width - len(cells))


def _find_header(rows: list[tuple[str, ...]], widths: list[int]) -> int:
    """Return the number of the first row of headings that has dates or amounts below, and no row
    that is wider; if all have one, of the first whose blank cells make it as wide, and if none is,
    of the first; 0 if there are no headings."""
    filled_rows = [(number, cells) for number, cells in enumerate(rows, start=1) if any(cells)]
    width = _common_width([cells for _, cells in filled_rows])
    numerator, denominator = HEADER_SHARE
    widths_from_below = accumulate((len(cells) for _, cells in reversed(filled_rows)), max)
    widest_from = list(widths_from_below)[::-1]
    padded: int | None = None
    too_narrow: int | None = None
    for place, (number, cells) in enumerate(filled_rows):
        headings = [cell for cell in cells if cell]
        if len(headings) < 2 or len(headings) * denominator < width * numerator:
            continue
        if _has_values(cells):
            continue
        below = [row for _, row in filled_rows[place + 1 : place + 1 + ROWS_BELOW_HEADER]]
        if not any(map(_has_values, below)) or _is_of_account(below):
            continue
        if widest_from[place] == len(cells):
            return number
        if widest_from[place] <= widths[number - 1]:
            padded = padded or number
        too_narrow = too_narrow or number
    return padded or too_narrow or 0


def _has_values(cells: tuple[str, ...]) -> bool:
    return any(is_amount(cell) or is_date(cell) for cell in cells)


def _is_line(cells: tuple[str, ...]) -> bool:
    return any(map(is_date, cells)) and any(map(is_amount, cells))


def _is_of_account(below: list[tuple[str, ...]]) -> bool:
    """Return whether a row without a date, and then headings of as many columns with a date under
    them, follow a row of headings: some banks write a table of the account above the lines."""
    if len(below) < ROWS_BELOW_HEADER:
        return False
    account, headings, line = below
    return (
        not any(map(is_date, account))
        and all(headings)
        and len(headings) == len(account)
        and not _has_values(headings)
        and any(map(is_date, line))
    )


def _common_width(rows: list[tuple[str, ...]]) -> int:
    """Return how many cells most rows have."""
    widths = Counter(len(cells) for cells in rows)
    return max(widths, key=lambda width: (widths[width], width), default=0)
