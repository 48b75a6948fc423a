"""A statement as a workbook: amounts are numbers, a name is never a formula.

Two sheets: the lines, and what the statement is of. Written row by row to a file on disk.
"""

from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any

import segno
import xlsxwriter  # type: ignore[import-untyped]  # has annotations and does not say so

from api.statements.signs import FORMULA, sheet_name
from api.statements.telling import Telling
from engine.values import Amount

CHUNK_BYTES = 64 * 1024
HEADS = ("version", "when", "deal", "kind", "from", "to", "amount", "change", "balance", "why")
PLACE_WIDTHS = (9, 38)
ROW_OF_PICTURE = 84
WIDTHS = (9, 19, 6, 18, 22, 22, 13, 13, 13, 90)
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def workbook(told: Telling) -> Iterator[bytes]:
    """The file in pieces."""
    with TemporaryFile() as file:
        _write(told, file)
        file.seek(0)
        while piece := file.read(CHUNK_BYTES):
            yield piece


def _write(told: Telling, file: IO[bytes]) -> None:
    book = xlsxwriter.Workbook(file, OPTIONS)
    book.set_properties({"title": told.speak("statement.title"), "comments": told.sealed})
    formats = _formats(book, told.places)
    lines = book.add_worksheet(_name(told))
    _lines(told, lines, formats)
    about = _Rows(book.add_worksheet(_name_of_about(told)), formats)
    _about(told, about)
    _evenings(told, about)
    book.close()


def _name(told: Telling) -> str:
    """Of the sheet: whose it is, if a sheet can be called so and no other is."""
    name = sheet_name(told.whose)
    taken = ("", "history", _name_of_about(told).casefold())
    return (
        name if name.casefold() not in taken else sheet_name(f"{told.asked.whose or 'Vola'} {name}")
    )


def _name_of_about(told: Telling) -> str:
    return sheet_name(told.speak("statement.about"))


def _formats(book: Any, places: int) -> dict[str, Any]:
    small = f".{'0' * places}" if places else ""
    number = f"#,##0{small};[Red]\N{MINUS SIGN}#,##0{small}"
    return {
        "head": book.add_format({"bold": True, "bottom": 1, "text_wrap": True}),
        "number": book.add_format({"num_format": number}),
        "sum": book.add_format({"num_format": number, "bold": True}),
        "when": book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"}),
        "text": book.add_format({}),
        "as_text": book.add_format({"quote_prefix": True}),
    }


class _Rows:
    """Fills a sheet from the top, each cell as what it is and never as what it looks like."""

    def __init__(self, sheet: Any, formats: dict[str, Any]) -> None:
        self.sheet, self.formats, self.row = sheet, formats, 0

    def write(self, *cells: tuple[object, str] | None) -> None:
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            value, how = cell
            if isinstance(value, datetime):
                self.sheet.write_datetime(self.row, column, value, self.formats[how])
            elif isinstance(value, str):
                risky = how == "text" and FORMULA.match(value)
                self.sheet.write_string(
                    self.row, column, value, self.formats["as_text" if risky else how]
                )
            else:
                self.sheet.write_number(self.row, column, value, self.formats[how])
        self.row += 1

    def picture(self, address: str, described: str, row: int, column: int, scale: float) -> None:
        """An address to scan."""
        image = BytesIO()
        segno.make(address, error="m").save(image, kind="png", scale=4, border=4)
        shown = {"image_data": image, "description": described, "x_scale": scale, "y_scale": scale}
        self.sheet.insert_image(row, column, f"receipt-{row}.png", shown)


def _number(told: Telling, amount: Amount | None, how: str = "number") -> tuple[object, str] | None:
    """In whole coins. A workbook keeps numbers as doubles: exact to the öre up to 10^13 kronor."""
    return None if amount is None else (float(told.coins(amount)), how)


def _lines(told: Telling, sheet: Any, formats: dict[str, Any]) -> None:
    speak, mine, first = told.speak, told.mine is not None, len(told.columns)
    heads = (*told.columns, *HEADS)
    for column, width in enumerate((*PLACE_WIDTHS[:first], *WIDTHS)):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer(f"&L{told.mark}&R&P / &N")
    rows = _Rows(sheet, formats)
    rows.write(*((speak(f"statement.{head}"), "head") for head in heads))
    blank = (None,) * (first + 7)

    def balance(amount: Amount) -> tuple[object, str] | None:
        return _number(told, amount, "sum") if mine else None

    rows.write(None, *blank, balance(told.opening), (speak("statement.opening"), "text"))
    for evening in told.evenings:
        place = tuple((value, "text") for value in told.place(evening))
        say = told.saying(evening)
        for line in evening.lines(told.pool):
            posting = line.reason.posting
            ends = (posting.source, posting.target)
            rows.write(
                *place,
                (line.version, "text"),
                (_wall(told, line.at), "when"),
                None if line.deal is None else (line.deal, "text"),
                (line.kind, "text"),
                *((say.account(a, evening.names), "text") for a in ends),
                _number(told, posting.amount),
                _number(told, line.change),
                _number(told, line.balance),
                (say.why(line.reason, evening.names, told.currency), "text"),
            )
    sheet.autofilter(0, 0, rows.row - 1, len(heads) - 1)
    version = None if told.version is None else (told.version, "text")
    closing = (speak("statement.closing"), "text")
    rows.write(*blank[:first], version, *blank[first:], balance(told.closing), closing)


def _wall(told: Telling, at: int) -> datetime:
    """The clock on the wall: a workbook knows no zones."""
    return datetime.fromisoformat(told.clock(at, "%Y-%m-%d %H:%M:%S"))


def _about(told: Telling, rows: _Rows) -> None:
    speak = told.speak
    rows.sheet.set_column(0, 0, 24)
    rows.sheet.set_column(1, 1, 80)
    rows.write((speak("statement.title"), "head"), (told.what, "text"))
    for key, value in (
        ("filters", told.who),
        ("period", told.period),
        ("zone", told.asked.zone.key),
        *told.head(),
    ):
        rows.write((speak(f"statement.{key}"), "head"), (value, "text"))
    if told.address:
        rows.picture(told.address, speak("statement.qr"), rows.row + 1, 1, 1)


def _evenings(told: Telling, rows: _Rows) -> None:
    """A row for each evening of many, with its receipt's QR code."""
    many = [evening for evening in told.evenings if told.heading(evening)]
    if not many:
        return
    balances = ("opening", "closing") if told.mine else ()
    heads = ("evening", "called", "when", "version", "seal", "receipt", *balances)
    rows.row += 1
    rows.write(*((told.speak(f"statement.{head}"), "head") for head in heads))
    for column, width in enumerate((20, 9, 66, 90, 13, 13, 16), start=2):
        rows.sheet.set_column(column, column, width)
    for evening in many:
        rows.sheet.set_row(rows.row, ROW_OF_PICTURE)
        rows.picture(evening.address, told.speak("statement.qr"), rows.row, len(heads), 0.5)
        rows.write(
            (evening.number, "text"),
            (evening.what, "text"),
            (_wall(told, evening.begun), "when"),
            (evening.version, "text"),
            (evening.seal, "text"),
            (evening.address, "text"),
            *((_number(told, getattr(evening, which))) for which in balances),
        )
