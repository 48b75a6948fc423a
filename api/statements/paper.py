"""A statement on paper: A4 pages with numbers, the curve, the seal and the receipt's QR code.

A tagged PDF that keeps to PDF/UA-1, so that a screen reader can read it; where a name has a sign
that no font at hand can draw, tagged but without that claim. Names come to the printer as data,
never as markup. Set as a whole: the only format that holds every line at once.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
import typst

from api.problems import ShapeWrong
from api.qr import svg
from api.statements.chart import HEIGHT, WIDTH
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.parts import Pairs
from api.statements.telling import Telling
from ledger.statement import Line

TEMPLATE = Path(__file__).parents[1] / "templates" / "statement.typ"
CHUNK_BYTES = 64 * 1024
WIDTHS = {"why": 4, "from": 1, "to": 1}
"""Shares of what the other columns leave over."""
MOST_LINES = 3000
"""Sixty pages, a third of a gigabyte while they are set; it grows with every line."""
PRESS = Lock()
"""One at a time."""
LONG = re.compile(r"\S{8}(?=\S{3})")
NO_FONT = "could not be displayed"


def paper(told: Telling) -> Iterator[bytes]:
    """The file in pieces. ShapeWrong when it would be a book: paper is for a period."""
    if told.count > MOST_LINES:
        detail = (
            f"A PDF has at most {MOST_LINES} lines and this is {told.count}; "
            "choose a shorter period, or CSV or XLSX, which have no such limit."
        )
        raise ShapeWrong([{"pointer": "?format", "detail": detail}])
    data = msgspec.json.encode(_told(told)).decode()
    at = told.at // 1_000_000  # the same statement is the same file
    try:
        printed = _printed(data, at, accessible=True)
    except typst.TypstError as refused:
        if NO_FONT not in refused.message:
            raise
        printed = _printed(data, at, accessible=False)
    for start in range(0, len(printed), CHUNK_BYTES):
        yield printed[start : start + CHUNK_BYTES]


def _printed(data: str, at: int, *, accessible: bool) -> bytes:
    with PRESS:
        return typst.compile(
            _template(),
            format="pdf",
            font_paths=_fonts(),
            sys_inputs={"told": data},
            pdf_standards=["ua-1"] if accessible else [],
            timestamp=at,
        )


@cache
def _template() -> bytes:
    return TEMPLATE.read_bytes()


@cache
def _fonts() -> typst.Fonts:
    """Its own, and the machine's for the scripts that those cannot write."""
    return typst.Fonts()


def _told(told: Telling) -> dict[str, Any]:
    speak = told.speak
    columns, numbers = _columns(told)
    return {
        "language": speak.language,
        "title": speak("statement.title"),
        "what": told.what,
        "who": told.who,
        "head": [
            (speak("statement.filters"), told.period),
            (speak("statement.period"), told.days),
            *_pairs(told, told.head()),
        ],
        "address": told.address,
        "qr": told.address and svg(told.address),
        "qr_is": speak("statement.qr"),
        "sealed": told.sealed,
        "page": speak("statement.page", page="{page}", pages="{pages}"),
        "chart": _chart(told),
        "contents": _contents(told),
        "columns": [speak(f"statement.{name}") for name in columns],
        "numbers": numbers,
        "widths": [WIDTHS.get(name, 0) for name in columns],
        "evenings": [_evening(told, evening) for evening in told.evenings],
        "empty": speak("statement.empty"),
        "parts": [{"name": part.name, "rows": part.rows} for part in told.parts()],
        "note": " ".join(filter(None, (told.status(), *told.notes()))),
    }


def _pairs(told: Telling, pairs: Pairs) -> list[tuple[str, str]]:
    return [(told.speak(f"statement.{key}"), str(value)) for key, value in pairs]


def _evening(told: Telling, evening: Evening) -> dict[str, Any]:
    heading = told.heading(evening)
    return {
        "heading": heading,
        "about": _pairs(told, told.about(evening)),
        "address": evening.address,
        "qr": svg(evening.address) if heading else None,
        "rows": list(_rows(told, evening)),
    }


def _contents(told: Telling) -> dict[str, Any] | None:
    made = told.contents()
    if made is None:
        return None
    return {
        "title": told.speak("statement.evenings"),
        "heads": [told.speak(f"statement.{head}") for head in made.heads],
        "rows": made.rows,
        "money": made.money,
    }


def _columns(told: Telling) -> tuple[tuple[str, ...], list[int]]:
    """What the columns are called, and which of them are amounts."""
    if told.mine:
        return ("when", "deal", "why", "change", "balance"), [3, 4]
    if told.unit == "points":
        return ("when", "deal", "why", "to", "change"), [4]
    return ("when", "deal", "why", "from", "to", "amount"), [5]


def _rows(told: Telling, evening: Evening) -> Iterator[list[str]]:
    if not evening.sums.lines:
        return
    speak, say = told.speak, told.saying(evening)
    if told.mine:
        yield ["", "", speak("statement.opening"), "", told.amount(evening.opening)]
    for line in evening.lines(told.pool):
        at, deal = told.clock(line.at, "%m-%d %H:%M"), str(line.deal or "")
        moved, *more = _moved(told, evening, line, say)
        yield [at, deal, say.why(line.reason, evening.names, told.currency), *moved]
        yield from (["", "", "", *other] for other in more)
    if told.mine:
        yield ["", "", speak("statement.closing"), "", told.amount(evening.closing)]


def _moved(told: Telling, evening: Evening, line: Line, say: Fluent) -> list[list[str]]:
    """What stands behind the reason; points that go from one side to another are two changes."""
    if line.change is not None and line.balance is not None:
        return [[told.amount(line.change, True), told.amount(line.balance)]]
    reason = line.reason
    if told.unit == "points":
        return [
            [_narrow(say.people(keeper.split("+"), evening.names)), told.amount(points, True)]
            for keeper, points in reason.scores
        ]
    ends = (reason.posting.source, reason.posting.target)
    names = [_narrow(say.account(a, evening.names)) for a in ends]
    return [[*names, told.amount(reason.posting.amount)]]


def _narrow(name: str) -> str:
    """With places where a long word may be broken."""
    return LONG.sub("\\g<0>\u200b", name)


def _chart(told: Telling) -> dict[str, Any] | None:
    drawn = told.chart()
    if drawn is None:
        return None
    return {
        "title": told.speak(f"statement.{drawn.title}"),
        "width": WIDTH,
        "height": HEIGHT,
        "zero": drawn.down(0),
        "words": " ".join(
            f"{c.name}: {told.amount(c.heights[0])} → {told.amount(c.ends)}." for c in drawn.curves
        ),
        "curves": [
            {"name": c.name, "ends": told.amount(c.ends), "points": drawn.points(c)}
            for c in drawn.curves
        ],
    }
