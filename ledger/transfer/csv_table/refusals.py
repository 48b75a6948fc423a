"""Why a file cannot be read as a table, or a table as results or payments.

The sentences are in the catalogs under `tables`. Rows count as in a spreadsheet, from 1 and with
blank ones; columns count from 1.
"""

from typing import Literal

Reason = Literal[
    "file_is_empty", "file_too_large", "not_a_text_file", "encoding_unknown", "control_character",
    "quote_not_closed", "too_many_rows", "too_many_columns", "cell_too_long", "one_column",
    "no_header", "one_row", "row_too_wide", "amount_unreadable", "amount_too_large",
    "decimal_signs_differ",
    "date_unreadable", "date_missing", "date_order_unclear", "name_missing", "column_missing",
    "date_column_missing", "player_column_missing", "amount_column_missing", "heading_repeated",
    "too_many_results",
]  # fmt: skip


class TableRefusal(Exception):
    """The file cannot be read, for this reason; `operands` are what its sentence names."""

    def __init__(self, reason: Reason, **operands: int) -> None:
        super().__init__(f"{reason} {operands}")
        self.reason, self.operands = reason, operands
