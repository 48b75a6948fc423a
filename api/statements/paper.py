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
from api.state import bets
from api.statements.chart import HEIGHT, WIDTH, chart
from api.statements.telling import Telling
from api.words import Speaker
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
    if told.sums.lines > MOST_LINES:
        detail = (
            f"A PDF has at most {MOST_LINES} lines and this is {told.sums.lines}; "
            "choose a shorter period, or CSV or XLSX, which have no such limit."
        )
        raise ShapeWrong([{"pointer": "?format", "detail": detail}])
    data = msgspec.json.encode(_told(told)).decode()
    at = told.session.at // 1_000_000  # the same statement is the same file
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
    speak, session, sums = told.speak, told.session, told.sums
    columns, numbers = _columns(told)
    return {
        "language": speak.language,
        "title": speak("statement.title"),
        "what": told.title or session.game.name,
        "who": told.who,
        "head": [
            (speak("statement.filters"), told.period),
            (speak("statement.period"), f"{told.day(sums.first)} – {told.day(sums.last)}"),
            (speak("statement.version"), str(session.version)),
            (speak("statement.seal"), told.seal),
            (speak("statement.receipt"), told.address),
        ],
        "address": told.address,
        "qr": svg(told.address),
        "qr_is": speak("statement.qr"),
        "sealed": told.sealed,
        "page": speak("statement.page", page="{page}", pages="{pages}"),
        "chart": _chart(told),
        "columns": [speak(f"statement.{name}") for name in columns],
        "numbers": numbers,
        "widths": [WIDTHS.get(name, 0) for name in columns],
        "rows": list(_rows(told)),
        "empty": speak("statement.empty"),
        "parts": list(_parts(told)),
        "note": " ".join(_notes(told)),
    }


def _notes(told: Telling) -> Iterator[str]:
    speak, session = told.speak, told.session
    if told.asked.since or told.asked.until:
        yield speak("statement.as_of", version=session.version)
    yield speak(f"statement.{session.status}")
    yield speak("statement.zero_points" if session.sheet else "statement.zero")


def _columns(told: Telling) -> tuple[tuple[str, ...], list[int]]:
    """What the columns are called, and which of them are amounts."""
    if told.asked.player:
        return ("when", "deal", "why", "change", "balance"), [3, 4]
    if told.asked.unit == "points":
        return ("when", "deal", "why", "to", "change"), [4]
    return ("when", "deal", "why", "from", "to", "amount"), [5]


def _rows(told: Telling) -> Iterator[list[str]]:
    if not told.sums.lines:
        return
    speak, mine = told.speak, told.asked.player is not None
    if mine:
        yield ["", "", speak("statement.opening"), "", told.amount(told.opening)]
    for line in told.lines():
        at, deal = told.clock(line.at, "%m-%d %H:%M"), str(line.deal or "")
        moved, *more = _moved(told, line)
        yield [at, deal, told.why(line), *moved]
        yield from (["", "", "", *other] for other in more)
    if mine:
        yield ["", "", speak("statement.closing"), "", told.amount(told.closing)]


def _moved(told: Telling, line: Line) -> list[list[str]]:
    """What stands behind the reason; points that go from one side to another are two changes."""
    if line.change is not None and line.balance is not None:
        return [[told.amount(line.change, True), told.amount(line.balance)]]
    reason, speak = line.reason, told.speak
    if told.asked.unit == "points":
        return [
            [_narrow(speak.people(keeper.split("+"), told.names)), told.amount(points, True)]
            for keeper, points in reason.scores
        ]
    ends = (reason.posting.source, reason.posting.target)
    names = [_narrow(speak.account(a, told.names)) for a in ends]
    return [[*names, told.amount(reason.posting.amount)]]


def _narrow(name: str) -> str:
    """With places where a long word may be broken."""
    return LONG.sub("\\g<0>\u200b", name)


def _chart(told: Telling) -> dict[str, Any] | None:
    drawn = chart(told)
    if drawn is None:
        return None
    return {
        "title": told.speak("statement.chart"),
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


def _parts(told: Telling) -> Iterator[dict[str, Any]]:
    """What stands at the end: points, and money."""
    session, speak, names = told.session, told.speak, told.names
    if session.sheet:
        scores = session.sheet.scores.items()
        rows = [(speak.people(who.split("+"), names), speak.number(x)) for who, x in scores]
        yield {"name": speak("statement.scores"), "rows": rows}
    if session.for_money:
        yield {"name": speak("statement.balances"), "rows": list(_balances(told, speak))}


def _balances(told: Telling, speak: Speaker) -> Iterator[tuple[str, str]]:
    session, names, currency = told.session, told.names, told.currency
    for player, balance in session.balances.items():
        yield speak.name(player, names), speak.money(balance, currency, sign=True)
    if not session.sheet:
        yield speak("statement.pot"), speak.money(session.pot, currency)
    for bet in bets(session) or ():
        laid = speak("accounts.bet", number=bet["id"][1:]).capitalize()
        yield f"{laid} ({speak.people(bet['by'], names)})", speak.money(bet["amount"], currency)
    for leg in session.payments.values():
        if leg.status == "due":
            pair = f"{speak.name(leg.payer, names)} → {speak.name(leg.payee, names)}"
            yield f"{speak('statement.due')}: {pair}", speak.money(leg.amount, currency)
