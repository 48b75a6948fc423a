"""A score sheet to fill in by hand: names and options of the table, a line for each deal to come.

Numbers and dealers of the deals are filled in, so that nobody has to keep count.
"""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from babel.numbers import format_decimal

from api.http.query_parameters import DEFAULT_TIME_ZONE
from api.i18n.catalog import LOCALES, catalog_entry, value_key
from api.i18n.translator import Translator
from api.printing.score_sheet_columns import (
    Column,
    bidding_sides,
    player_marks,
    sheet_columns,
    side_mark,
)
from api.printing.typst_compiler import compile_pdf
from api.representations.qr import svg
from engine.values import Amount, Player, left_of
from ledger.events.currency import currency_places, have_fractions
from ledger.events.timestamps import to_datetime
from ledger.session.session_state import SessionState

TEMPLATE = Path(__file__).parent / "templates" / "score_sheet.typ"
Paper = Literal["a4", "a5"]
PAPERS: tuple[Paper, ...] = ("a4", "a5")


class PageCapacity(NamedTuple):
    """How many deals have room on the first page and on each that follows."""

    first_page: int
    next_pages: int


CAPACITIES = {"a4": PageCapacity(24, 30), "a5": PageCapacity(15, 20)}
MAX_DEALS = 100


class ScoreSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a sheet. `url` opens the session; `is_link` if it needs no other access."""

    session: SessionState
    title: str | None
    translator: Translator
    url: str
    is_link: bool
    paper: Paper
    deal_count: int  # at least: every page is filled with lines

    @property
    def subject(self) -> str:
        return self.title or self.session.game.name


def write_score_sheet(sheet: ScoreSheet) -> bytes:
    """Return the sheet as a PDF, the same bytes for the same sheet."""
    return compile_pdf(TEMPLATE, _template_data(sheet), sheet.session.at // 1_000_000)


def _template_data(sheet: ScoreSheet) -> dict[str, Any]:
    """Return the texts of the sheet as the Typst template takes them."""
    session, translator = sheet.session, sheet.translator
    marks = player_marks(session.table.seats, translator)
    columns = sheet_columns(session, marks, translator)
    texts = catalog_entry(translator.language, session.game.key)
    zone = ZoneInfo(DEFAULT_TIME_ZONE)  # where statements and exports have the day as well
    day = to_datetime(session.opened_at).astimezone(zone).strftime(translator.day_pattern)
    return {
        "language": translator.language,
        "paper": sheet.paper,
        "title": translator("score_sheet.title"),
        "subject": sheet.subject,
        "about": list(dict.fromkeys((sheet.subject, texts.get("name", session.game.name), day))),
        "players": [(mark, translator.player_name(player)) for player, mark in marks.items()],
        "hint": texts["score_sheet"]["hint"],
        "agreed": translator("score_sheet.agreed"),
        "afterwards": translator("score_sheet.afterwards"),
        "options": list(_worded_options(session, translator)),
        "url": sheet.url,
        "qr_code": svg(sheet.url),
        "qr_label": translator(f"score_sheet.{'qr_host' if sheet.is_link else 'qr_other'}"),
        "page": translator("statement.page", page="{page}", pages="{pages}"),
        "columns": [msgspec.to_builtins(column) for column in columns],
        "before": _opening_cells(session, columns, translator),
        "before_label": translator("score_sheet.before"),
        "total_label": translator("statement.sum"),
        "pages": list(_pages(sheet, columns, marks)),
    }


def _worded_options(session: SessionState, translator: Translator) -> Iterator[str]:
    """Yield every option that the table agreed on, in the game's order: `Stake: 10 kr`."""
    language, game = translator.language, session.game.key
    for name, value in msgspec.to_builtins(session.options).items():
        texts = catalog_entry(language, game, "options", name)
        values = catalog_entry(language, game, "values") | texts.get("values", {})
        if (key := value_key(value)) in values:
            text = values[key]
        elif catalog_entry("rules", game, "options", name).get("unit") == "money":
            text = translator.format_money(value, session.opening.currency)
        else:
            text = translator.format_number(value)
        yield f"{texts['label']}: {text}"


def _pages(
    sheet: ScoreSheet, columns: list[Column], marks: Mapping[Player, str]
) -> Iterator[list[list[str]]]:
    """Yield the lines of each page, with their cells; what is written by hand is empty."""
    lines, size = _lines(sheet.session, columns, dict(marks)), CAPACITIES[sheet.paper]
    yield list(islice(lines, size.first_page))
    for _ in range(size.first_page, sheet.deal_count, size.next_pages):
        yield list(islice(lines, size.next_pages))


def _lines(
    session: SessionState, columns: list[Column], marks: dict[Player, str]
) -> Iterator[list[str]]:
    """Yield one line after the other, without end."""
    table = session.table
    # an open deal is being recorded on a phone: the sheet begins with the next one
    dealer = left_of(table.dealer, table.seats) if table.deal_is_open else table.dealer
    for number in count(table.next_number):
        sides = bidding_sides(session, dealer)
        cells = {
            "number": str(number),
            "dealer": marks[dealer],
            **{key: side_mark(side, marks) for key, side in sides.items()},
        }
        yield [cells.get(column.key, "") for column in columns]
        dealer = left_of(dealer, table.seats)


def _opening_cells(
    session: SessionState, columns: list[Column], translator: Translator
) -> list[str] | None:
    """Return what everybody has before the first line, for each column that is added up; None where
    all have nothing. Empty cells while a deal is open: it comes first."""
    sums = {column.key: _opening_sum(session, column.key) for column in columns if column.is_sum}
    if session.table.deal_is_open:
        return ["" for _ in sums]
    if not any(sums.values()):
        return None
    if session.sheet:
        return [translator.format_number(points) for points in sums.values()]
    return _format_coins(sums.values(), session.opening.currency, translator.language)


def _opening_sum(session: SessionState, key: str) -> Amount:
    kind, _, contestant = key.partition(":")
    match kind:
        case "player":
            return session.result(contestant)
        case "table":
            return session.pot + sum(bet.amount for bet in session.bets if bet.paid)
    assert session.sheet is not None, "a game for money has no other sums"
    counts = session.sheet.scores if kind == "points" else session.sheet.overtricks
    return counts[contestant]


def _format_coins(amounts: Collection[Amount], currency: str, language: str) -> list[str]:
    """Return amounts in whole coins, all with decimals if one has a fraction, and without their
    currency, which stands over the columns."""
    places = currency_places(currency)
    pattern = f"#,##0.{'0' * places}" if have_fractions(amounts, currency) else "#,##0"
    numbers = (Decimal(amount).scaleb(-places) for amount in amounts)
    written = (format_decimal(n, pattern, locale=LOCALES[language]) for n in numbers)
    return [text.replace("-", "−") for text in written]
