"""Why a file cannot be read as a table: a class for each reason, with its row and column.

`reason` is stable; the sentences are in the catalogs under `tables`. Rows count as in a
spreadsheet, from 1 and with blank ones; columns count from 1.
"""

from typing import ClassVar

from engine.events import snake_case


class TableRefusal(Exception):
    """The file cannot be read as a table."""

    reason: ClassVar[str] = "table_refusal"

    def __init_subclass__(cls) -> None:
        cls.reason = snake_case(cls.__name__)

    def __init__(self, **operands: int) -> None:
        super().__init__((type(self).__doc__ or "").format(**operands))
        self.operands = operands


class FileIsEmpty(TableRefusal):
    """The file has no text."""


class FileTooLarge(TableRefusal):
    """The file has more than {most} bytes."""


class NotATextFile(TableRefusal):
    """The file is a workbook, a PDF or an archive, not CSV."""


class EncodingUnknown(TableRefusal):
    """Row {row} has bytes that are text in no encoding that spreadsheets write."""


class ControlCharacter(TableRefusal):
    """Row {row}, column {column} has an invisible character that text must not have."""


class QuoteNotClosed(TableRefusal):
    """Row {row} begins a quotation mark that does not end, or goes on after its end."""


class TooManyRows(TableRefusal):
    """The file has more than {most} rows."""


class TooManyColumns(TableRefusal):
    """Row {row} has more than {most} columns."""


class CellTooLong(TableRefusal):
    """Row {row}, column {column} has more than {most} characters."""


class OneColumn(TableRefusal):
    """The file has one column only: nothing separates the cells."""


class NoHeader(TableRefusal):
    """No row has headings with rows of dates or amounts below it."""


class RowTooWide(TableRefusal):
    """Row {row} has more cells than the header, often because of decimal commas."""


class AmountUnreadable(TableRefusal):
    """Row {row}, column {column} is no amount."""


class AmountTooLarge(TableRefusal):
    """Row {row}, column {column} is larger than any amount in a book."""


class DecimalSignsDiffer(TableRefusal):
    """Row {row}, column {column} has another decimal sign than the amounts before it."""


class DateUnreadable(TableRefusal):
    """Row {row}, column {column} is no date."""


class DateMissing(TableRefusal):
    """Row {row} has no date in column {column}."""


class DateOrderUnclear(TableRefusal):
    """The dates of column {column} can be read in two ways: day or month first."""


class NameMissing(TableRefusal):
    """Row {row} has an amount and no name in column {column}."""


class DateColumnMissing(TableRefusal):
    """No column is chosen for the dates."""


class PlayerColumnMissing(TableRefusal):
    """No column is chosen for the names of the players."""


class AmountColumnMissing(TableRefusal):
    """No column is chosen for the amounts."""


class HeadingRepeated(TableRefusal):
    """Columns {other_column} and {column} have the same heading, so they would be added."""


class TooManyResults(TableRefusal):
    """The file has more than {most} results."""
