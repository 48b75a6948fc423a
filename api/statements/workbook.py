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
    about = told.speak("statement.about")
    _about(told, book.add_worksheet(sheet_name(about)), formats)
    book.close()


def _name(told: Telling) -> str:
    """Of the sheet: whose it is, if a sheet can be called so and no other is."""
    speak, player = told.speak, told.asked.player
    name = sheet_name(speak.name(player, told.names) if player else speak("statement.everybody"))
    taken = ("", "history", sheet_name(speak("statement.about")).casefold())
    return name if name.casefold() not in taken else sheet_name(f"{player or 'Vola'} {name}")


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


def _number(told: Telling, amount: Amount | None, how: str = "number") -> tuple[object, str] | None:
    """In whole coins. A workbook keeps numbers as doubles: exact to the öre up to 10^13 kronor."""
    return None if amount is None else (float(told.coins(amount)), how)


def _lines(told: Telling, sheet: Any, formats: dict[str, Any]) -> None:
    speak, mine = told.speak, told.asked.player is not None
    heads = ("version", "when", "deal", "kind", "from", "to", "amount", "change", "balance", "why")
    for column, width in enumerate(WIDTHS):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer(f"&L{told.session.version} {told.seal[:16]}&R&P / &N")
    rows = _Rows(sheet, formats)
    rows.write(*((speak(f"statement.{head}"), "head") for head in heads))
    blank = (None,) * 7
    rows.write(
        *(None, *blank),
        _number(told, told.opening, "sum") if mine else None,
        (speak("statement.opening"), "text"),
    )
    for line in told.lines():
        posting = line.reason.posting
        rows.write(
            (line.version, "text"),
            (_wall(told, line.at), "when"),
            None if line.deal is None else (line.deal, "text"),
            (line.kind, "text"),
            *((speak.account(a, told.names), "text") for a in (posting.source, posting.target)),
            _number(told, posting.amount),
            _number(told, line.change),
            _number(told, line.balance),
            (told.why(line), "text"),
        )
    sheet.autofilter(0, 0, rows.row - 1, len(heads) - 1)
    rows.write(
        *((told.session.version, "text"), *blank),
        _number(told, told.closing, "sum") if mine else None,
        (speak("statement.closing"), "text"),
    )


def _wall(told: Telling, at: int) -> datetime:
    """The clock on the wall: a workbook knows no zones."""
    return datetime.fromisoformat(told.clock(at, "%Y-%m-%d %H:%M:%S"))


def _about(told: Telling, sheet: Any, formats: dict[str, Any]) -> None:
    speak, session = told.speak, told.session
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 80)
    rows = _Rows(sheet, formats)
    rows.write((speak("statement.title"), "head"), (told.title or session.game.name, "text"))
    for key, value in (
        ("filters", told.who),
        ("period", told.period),
        ("zone", told.asked.zone.key),
        ("version", session.version),
        ("seal", told.seal),
        ("receipt", told.address),
    ):
        rows.write((speak(f"statement.{key}"), "head"), (value, "text"))
    picture = BytesIO()
    segno.make(told.address, error="m").save(picture, kind="png", scale=4, border=4)
    described = {"image_data": picture, "description": speak("statement.qr")}
    sheet.insert_image(rows.row + 1, 1, "receipt.png", described)
