"""A statement as a workbook: amounts are numbers, and a name is never a formula.

Three sheets: the lines; what each deal or session changed for every player; and the subject of the
statement. What a group recorded itself is in a fourth, before the last one. The workbook is written
row by row to a file on disk.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from io import BytesIO
from tempfile import TemporaryDirectory, TemporaryFile
from textwrap import wrap
from typing import IO, Any

import segno
import xlsxwriter  # type: ignore[import-untyped]  # has annotations and does not say so

from api.http.query_parameters import parameter_error
from api.i18n.field_errors import FieldError
from api.statements.formats.cell_formats import TIME_FORMAT, CellFormats
from api.statements.statement import Statement
from api.statements.tables import AccountChanges, Grid
from api.statements.wording.sanitize import FORMULA_START, sheet_name
from engine.values import Amount
from ledger.reporting.statement import StatementLine

Value = str | int | float | datetime | None
Cell = Value | tuple[Value, str]
"""A value; with the name of its format where that is not the one of its type."""
MAX_ROWS = 2**20
"""The rows that a sheet of Excel can have."""
MAX_LINES = MAX_ROWS - 3
"""The rows that are left beside the heads, the opening and the closing balance."""
A4 = 9
"""The number of the paper size."""
CHUNK_BYTES = 64 * 1024
LINE_HEADS = (
    *("version", "when", "deal", "kind", "from", "to", "amount", "change", "balance", "why"),
    *("from_paper", "purpose"),
)
LINE_WIDTHS = (9, 19, 6, 22, 22, 22, 15, 15, 15, 90, 11, 30)
YES = "✓"
SECTION_HEADS = ("evening", "called")
SECTION_WIDTHS = (9, 30)
AMOUNT_WIDTH = 15
LINE_HEIGHT = 15
PAGE_QR_CODE_ROWS = 20
QR_CODE_ROW_HEIGHT = 84
"""Heights are in points."""
RESERVED_SHEET_NAMES = ("", "history")
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


class _Sheet:
    """One sheet, row by row."""

    def __init__(self, worksheet: Any, formats: CellFormats) -> None:
        self.worksheet, self.formats, self.row = worksheet, formats, 0
        self._widths: tuple[int, ...] = ()
        self._writers_and_formats = {
            str: (worksheet.write_string, "text"),
            int: (worksheet.write_number, "text"),
            float: (worksheet.write_number, "amount"),
            datetime: (worksheet.write_datetime, TIME_FORMAT),
        }

    def write(self, *cells: Cell, height: int = LINE_HEIGHT) -> None:
        """Write the next row, at least this high; without cells, leave it empty."""
        assert self.row < MAX_ROWS, "only the lines of a statement may be that many"
        height = max(height, LINE_HEIGHT * self._text_lines(cells))
        if height > LINE_HEIGHT:  # not every program finds the height by itself
            self.worksheet.set_row(self.row, height)
        for column, cell in enumerate(cells):
            value, format_name = cell if isinstance(cell, tuple) else (cell, None)
            if value is None:
                continue
            write, type_format = self._writers_and_formats[type(value)]
            if isinstance(value, str) and FORMULA_START.match(value):
                type_format = "as_text"
            write(self.row, column, value, self.formats[format_name or type_format])
        self.row += 1

    def write_heads(self, heads: Iterable[str]) -> None:
        self.write(*((head, "head") for head in heads))

    def _text_lines(self, cells: tuple[Cell, ...]) -> int:
        """Return how many lines the longest text takes in its column."""
        lines = 1
        for cell, width in zip(cells, self._widths, strict=False):
            value = cell[0] if isinstance(cell, tuple) else cell
            if isinstance(value, str) and len(value) > width:
                is_address = value.startswith("http")  # which breaks earlier, at a slash
                lines = max(lines, len(wrap(value, width)) + is_address)
        return lines

    def set_widths(self, *widths: int) -> None:
        self._widths = widths
        for column, width in enumerate(widths):
            self.worksheet.set_column(column, column, width)

    def keep_heads(self) -> None:
        """Keep the head in sight and on every page."""
        self.worksheet.freeze_panes(1, 0)
        self.worksheet.repeat_rows(0)

    def set_up_printing(self, footer_mark: str) -> None:
        """Fit the columns to A4 in landscape."""
        self.worksheet.set_landscape()
        self.worksheet.set_paper(A4)
        self.worksheet.fit_to_pages(1, 0)
        self.worksheet.set_footer(f"&L{footer_mark}&R&P / &N")

    def insert_qr_code(self, url: str, label: str, *, row: int, column: int, scale: float) -> None:
        image = BytesIO()
        segno.make(url, error="m").save(image, kind="png", scale=4, border=4)
        options = {"image_data": image, "description": label, "x_scale": scale, "y_scale": scale}
        self.worksheet.insert_image(row, column, f"receipt-{row}.png", options)


def write_xlsx(statement: Statement) -> Iterator[bytes]:
    """Yield the file in pieces. Raise InvalidFields when it has too many lines."""
    if statement.line_count > MAX_LINES:
        counts = {"most": MAX_LINES, "count": statement.line_count}
        raise parameter_error("format", FieldError("shorter_for_workbook", **counts))
    # a folder, since xlsxwriter leaves files with the lines behind when it fails
    with TemporaryDirectory(prefix="vola-") as folder, TemporaryFile(dir=folder) as file:
        _write_workbook(statement, file, folder)
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _write_workbook(statement: Statement, file: IO[bytes], folder: str) -> None:
    translator = statement.translator
    workbook = xlsxwriter.Workbook(file, OPTIONS | {"tmpdir": folder})
    workbook.set_properties(
        {"title": translator("statement.title"), "comments": statement.verification_text}
    )
    formats, changes = CellFormats(workbook, statement), statement.account_changes()
    grids = statement.grids(changes)
    keys = [*(grid.title for grid in grids), "about"]
    titles = [sheet_name(translator(f"statement.{key}")) for key in keys]
    lines_sheet, *grid_sheets, about_sheet = (
        _Sheet(workbook.add_worksheet(title), formats)
        for title in (_lines_title(statement, titles), *titles)
    )
    _write_lines(statement, lines_sheet, changes)
    for grid, sheet in zip(grids, grid_sheets, strict=True):
        _write_grid(statement, sheet, grid)
    _write_about(statement, about_sheet)
    _write_sections(statement, about_sheet)
    workbook.close()


def _lines_title(statement: Statement, other_titles: list[str]) -> str:
    """Return the holder's name, with the id if a sheet cannot have that name."""
    title = sheet_name(statement.holder_name)
    unavailable = (*RESERVED_SHEET_NAMES, *(other_title.casefold() for other_title in other_titles))
    if title.casefold() not in unavailable:
        return title
    return sheet_name(f"{statement.query.holder or 'Vola'} {title}")


def _write_lines(statement: Statement, sheet: _Sheet, changes: AccountChanges) -> None:
    translator = statement.translator
    has_sections = bool(statement.section_columns)
    heads = (*(SECTION_HEADS if has_sections else ()), *LINE_HEADS)
    sheet.set_widths(*(SECTION_WIDTHS if has_sections else ()), *LINE_WIDTHS)
    sheet.keep_heads()
    sheet.set_up_printing(statement.footer_mark)
    sheet.write_heads(translator(f"statement.{head}") for head in heads)
    no_section = (None,) * (len(heads) - len(LINE_HEADS))

    def write_balance(version: int | None, amount: Amount, key: str) -> None:
        balance = (_coins(statement, amount), "sum") if statement.holder_account else None
        text = translator(f"statement.{key}")
        sheet.write(*no_section, version, *(None,) * 7, balance, text)

    write_balance(None, statement.opening_balance, "opening")
    for section in statement.sections:
        section_cells = (section.number, section.display_title) if has_sections else ()
        section_translator = statement.section_translator(section)
        for line, sentence in statement.worded_lines(section):
            changes.add(line)
            accounts = line.explanation.payer_and_payee
            sheet.write(
                *section_cells,
                line.version,
                _time_cell(statement, line.at),
                line.deal,
                translator(_kind_key(line)),
                *map(section_translator.account_name, accounts),
                _coins(statement, line.explanation.posting.amount),
                _coins(statement, line.change),
                _coins(statement, line.balance),
                sentence,
                YES if section.marks.is_late_entry(line) else None,
                section.marks.purpose(line) or None,
            )
    sheet.worksheet.autofilter(0, 0, sheet.row - 1, len(heads) - 1)
    write_balance(statement.version, statement.closing_balance, "closing")


def _kind_key(line: StatementLine) -> str:
    """Return the catalog's key for the kind of a line; a vole is not called la vola."""
    is_vole = line.kind == "payment_settled" and line.explanation.code.startswith("vole")
    return "statement.vole_paid" if is_vole else f"kinds.{line.kind}"


def _write_grid(statement: Statement, sheet: _Sheet, grid: Grid) -> None:
    """Write a row for each deal, session or entry, and one with their sums."""
    translator = statement.translator
    heads, widths = zip(*grid.heads, strict=True)
    sheet.set_widths(*widths, *(AMOUNT_WIDTH for _ in grid.columns))
    sheet.keep_heads()
    sheet.set_up_printing(statement.footer_mark)
    sheet.write_heads((*(translator(f"statement.{head}") for head in heads), *grid.columns))
    totals = [0] * len(grid.columns)
    for row in grid.rows:
        totals = [total + change for total, change in zip(totals, row.changes, strict=True)]
        cells = ((x, "day") if isinstance(x, datetime) else x or None for x in row.cells)
        sheet.write(*cells, *(_coins(statement, change) for change in row.changes))
    sums = ((_coins(statement, total), "sum") for total in totals)
    sum_head = (translator("statement.sum"), "sum_text")
    sheet.write(*(None,) * (len(heads) - 1), sum_head, *sums)


def _write_about(statement: Statement, sheet: _Sheet) -> None:
    translator = statement.translator
    sheet.set_widths(24, 80, 18)
    sheet.set_up_printing(statement.footer_mark)
    for key, value in (
        ("title", statement.subject),
        ("filters", statement.holder_and_unit),
        ("period", statement.period_text),
        ("zone", statement.query.zone.key),
        *statement.head_pairs(),
    ):
        sheet.write((translator(f"statement.{key}"), "head"), value)
    if results := statement.holder_results():
        sheet.write()
        heads = (translator(f"statement.{head}") for head in ("result", "balances"))
        sheet.write_heads([statement.results_title, *heads])
        for _, name, *amounts in results:
            sheet.write(name, *(_coins(statement, amount) for amount in amounts))
        if statement.period_note:
            sheet.write(statement.period_note)
    for table in statement.tables_apart():
        sheet.write()
        sheet.write_heads([table.name])
        for name, value in table.rows:
            sheet.write(name, value)
    label = translator("statement.qr")
    sheet.insert_qr_code(statement.page_url, label, row=sheet.row + 1, column=1, scale=1)


def _write_sections(statement: Statement, sheet: _Sheet) -> None:
    """Write a row for each of many sessions, with the QR code of its page."""
    sections = [section for section in statement.sections if statement.section_heading(section)]
    if not sections:
        return
    translator = statement.translator
    balance_heads = ("opening", "closing") if statement.holder_account else ()
    heads = ("evening", "called", "when", "version", "checksum", "shown_at", *balance_heads)
    sheet.row += PAGE_QR_CODE_ROWS
    sheet.write_heads(translator(f"statement.{head}") for head in heads)
    sheet.set_widths(24, 80, 20, 9, 66, 90, 13, 13, 16)
    for section in sections:
        url, label = statement.section_url(section), translator("statement.qr")
        balances = (section.opening_balance, section.closing_balance)
        sheet.insert_qr_code(url, label, row=sheet.row, column=len(heads), scale=0.5)
        sheet.write(
            section.number,
            section.display_title,
            _time_cell(statement, section.session.opened_at),
            section.session.version,
            section.head_hash,
            url,
            *(_coins(statement, balance) for balance in balances if balance_heads),
            height=QR_CODE_ROW_HEIGHT,
        )


def _time_cell(statement: Statement, at: int) -> Cell:
    """Return a local time, with its zone behind it in an hour that comes twice."""
    time, zone = statement.local_time(at), statement.repeated_hour_zone(at)
    return (time, f'{TIME_FORMAT} "{zone}"') if zone else time


def _coins(statement: Statement, amount: Amount | None) -> float | None:
    """Return an amount in whole coins. Workbooks have doubles: exact to the öre up to 10^13 kr."""
    return None if amount is None else float(statement.format_decimal(amount))
