"""The rows and cells of a text, and the sign that separates the cells.

A cell is text. One that begins with `=` is text as well; nothing is ever computed from it.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Annotated

from msgspec import Meta

from ledger.transfer.csv_table.encoding import MAX_BYTES
from ledger.transfer.csv_table.refusals import TableRefusal

csv.field_size_limit(MAX_BYTES)  # of the whole process: `_row` refuses long cells, with their place
DELIMITERS = ("\t", ";", ",")
"""The likeliest first: a comma also stands inside amounts."""
SAMPLE_ROWS = 200
MAX_ROWS = 5_000
MAX_COLUMNS = 60
ColumnNumber = Annotated[int, Meta(ge=1, le=MAX_COLUMNS)]
ColumnNumbers = Annotated[tuple[ColumnNumber, ...], Meta(min_length=0, max_length=MAX_COLUMNS)]
MAX_CELL_CHARACTERS = 500
CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Also the signs that turn the direction of text, with which a name can pass for another."""
DELIMITER_LINE = re.compile(r"sep=([\t;,])\s*(?:\r\n|\r|\n)")
"""Excel's own first line."""


def find_delimiter(text: str) -> str:
    """Return the sign that makes most rows equally wide. Raise TableRefusal."""
    declared = DELIMITER_LINE.match(text)
    if declared:
        return declared[1]
    best, most_rows = "", 0
    for delimiter in DELIMITERS:
        widths: Counter[int] = Counter()
        with suppress(csv.Error):  # what was read until then counts; `read_rows` names the row
            for row in _sample(text, delimiter):
                widths[len(row)] += 1
        rows = sum(count for width, count in widths.most_common(2) if width > 1)
        if rows > most_rows:
            best, most_rows = delimiter, rows
    if not best:
        raise TableRefusal("one_column")
    return best


def read_rows(text: str, delimiter: str) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return all rows, blank ones as `()`, without the blank cells at their ends, and how many
    cells each has with them. Raise TableRefusal."""
    rows: list[tuple[str, ...]] = []
    widths: list[int] = []
    try:
        for number, cells in enumerate(_reader(text, delimiter), start=1):
            if number > MAX_ROWS:
                raise TableRefusal("too_many_rows", most=MAX_ROWS)
            rows.append(_row(number, cells))
            widths.append(len(cells))
    except csv.Error:
        raise TableRefusal("quote_not_closed", row=len(rows) + 1) from None
    if DELIMITER_LINE.match(text):
        rows[0] = ()
    return rows, widths


def _row(number: int, cells: list[str]) -> tuple[str, ...]:
    for column, cell in enumerate(cells, start=1):
        if len(cell) > MAX_CELL_CHARACTERS:
            raise TableRefusal("cell_too_long", row=number, column=column, most=MAX_CELL_CHARACTERS)
        if CONTROL_CHARACTER.search(cell):
            raise TableRefusal("control_character", row=number, column=column)
    stripped = [" ".join(cell.split()) for cell in cells]
    while stripped and not stripped[-1]:
        stripped.pop()
    if len(stripped) > MAX_COLUMNS:
        raise TableRefusal("too_many_columns", row=number, most=MAX_COLUMNS)
    return tuple(stripped)


def _sample(text: str, delimiter: str) -> Iterator[list[str]]:
    """Return the first rows that are not blank."""
    rows = _reader(text, delimiter)
    return islice((row for row in rows if any(map(str.strip, row))), SAMPLE_ROWS)


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
