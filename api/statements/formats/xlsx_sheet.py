"""A sheet of a workbook, written from the top: each cell is a value with the name of a format."""

from collections.abc import Mapping
from datetime import datetime
from io import BytesIO
from typing import Any

import segno

from api.statements.statement import Statement
from api.statements.wording.sanitize import FORMULA_START
from engine.values import Amount

Cell = tuple[object, str] | None
"""A value and the name of its format."""
A4 = 9
"""The number of the paper size."""


def cell_formats(workbook: Any, statement: Statement) -> dict[str, Any]:
    """Return the formats by name; amounts as the reader's language writes the currency."""
    decimals = f".{'0' * statement.decimal_places}" if statement.decimal_places else ""
    prefix, suffix = _currency_signs(statement)
    amount = f"{prefix}#,##0{decimals}{suffix};[Red]\N{MINUS SIGN}{prefix}#,##0{decimals}{suffix}"
    return {
        "head": workbook.add_format({"bold": True, "bottom": 1, "text_wrap": True}),
        "number": workbook.add_format({"num_format": amount}),
        "sum": workbook.add_format({"num_format": amount, "bold": True}),
        "sum_text": workbook.add_format({"bold": True}),
        "when": workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"}),
        "day": workbook.add_format({"num_format": "yyyy-mm-dd", "align": "left"}),
        "text": workbook.add_format({}),
        "as_text": workbook.add_format({"quote_prefix": True}),
    }


def _currency_signs(statement: Statement) -> tuple[str, str]:
    """Return what stands before and after an amount, quoted for a number format."""
    if statement.unit == "points":
        return "", ""
    one_coin = statement.translator.format_money(10**statement.decimal_places, statement.currency)
    prefix, _, suffix = one_coin.partition("1")
    return _quoted(prefix), _quoted(suffix)


def _quoted(sign: str) -> str:
    return f'"{sign}"' if sign else ""


class Sheet:
    """One sheet, row by row."""

    def __init__(self, worksheet: Any, formats: Mapping[str, Any]) -> None:
        self.worksheet, self.formats, self.row = worksheet, formats, 0

    def skip_row(self) -> None:
        self.row += 1

    def write(self, *cells: Cell) -> None:
        """Write the next row."""
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            value, format_name = cell
            if isinstance(value, datetime):
                write = self.worksheet.write_datetime
            elif isinstance(value, str):
                write = self.worksheet.write_string
                if format_name == "text" and FORMULA_START.match(value):
                    format_name = "as_text"
            else:
                write = self.worksheet.write_number
            write(self.row, column, value, self.formats[format_name])
        self.row += 1

    def set_widths(self, *widths: int) -> None:
        for column, width in enumerate(widths):
            self.worksheet.set_column(column, column, width)

    def set_up_printing(self, footer_mark: str) -> None:
        """Keep the head in sight and on every page; fit the columns to A4 in landscape."""
        self.worksheet.freeze_panes(1, 0)
        self.worksheet.set_landscape()
        self.worksheet.set_paper(A4)
        self.worksheet.repeat_rows(0)
        self.worksheet.fit_to_pages(1, 0)
        self.worksheet.set_footer(f"&L{footer_mark}&R&P / &N")

    def insert_qr_code(self, url: str, label: str, *, row: int, column: int, scale: float) -> None:
        image = BytesIO()
        segno.make(url, error="m").save(image, kind="png", scale=4, border=4)
        options = {"image_data": image, "description": label, "x_scale": scale, "y_scale": scale}
        self.worksheet.insert_image(row, column, f"receipt-{row}.png", options)


def amount_cell(statement: Statement, amount: Amount | None, format_name: str = "number") -> Cell:
    """Return an amount in whole coins. Workbooks have doubles: exact to the öre up to 10^13 kr."""
    return None if amount is None else (float(statement.format_decimal(amount)), format_name)
