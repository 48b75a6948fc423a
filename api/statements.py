"""Statements to read, to keep and to print (contract.md §4)."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import Blueprint, Response, g, render_template, request

from api import access, words
from api.problems import Problem, ShapeWrong
from api.sessions import read, shown, store, tagged
from api.state import Names, balances, bets, name_of, payment, pot, sheet
from api.words import Speaker, whole
from ledger.postings import Unit
from ledger.session import Session
from ledger.statement import Line, Statement, statement, units
from ledger.times import iso, moment

blueprint = Blueprint("statements", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/statement")
@access.requires("viewer")
def show() -> Response:
    """The statement of a player (`?player=`) or of the evening, as `?format=` or Accept asks."""
    session = read()
    player = request.args.get("player")
    if player is not None and player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    asked = _format()
    history = store().events(g.session_id, 0, session.version)
    made = statement(session, history, player, _unit(session))
    response = FORMATS[asked](made, words.speaker(), g.card.title, g.card.names)
    response.headers["Vary"] = "Accept, Accept-Language"
    response.headers["Content-Language"] = words.speaker().language
    return tagged(response, session.version)


def _unit(session: Session) -> Unit | None:
    """In points or in money (`?unit=`), when it is played for both."""
    asked = request.args.get("unit")
    if asked is None:
        return None
    for unit in units(session):
        if unit == asked:
            return unit
    kept = ", ".join(units(session))
    raise ShapeWrong([{"pointer": "?unit", "detail": f"Must be one of: {kept}."}])


def _format() -> str:
    asked = request.args.get("format")
    if asked is None:
        best = request.accept_mimetypes.best_match(list(MEDIA))
        if not request.accept_mimetypes:
            return "json"
        if best is None:
            raise Problem(406, "not_acceptable", formats=list(FORMATS))
        return MEDIA[best]
    if asked not in FORMATS:
        raise Problem(406, "not_acceptable", formats=list(FORMATS))
    return asked


def _json(made: Statement, speak: Speaker, title: str | None, names: Names) -> Response:
    session = made.session
    return shown(
        {
            "session": str(session.id),
            "title": title,
            "game": session.opening.game,
            "currency": session.opening.currency,
            "player": made.player,
            "unit": made.unit,
            "period": _period(made),
            "version": session.version,
            "hash": session.hash.hex(),
            "opening": made.opening,
            "lines": [_line(line, speak, names, session.opening.currency) for line in made.lines],
            "closing": made.closing,
            "balances": balances(session),
            "pot": pot(session),
            **sheet(session),
            "bets": bets(session),
            "payments_due": [payment(p) for p in session.payments.values() if p.status == "due"],
        }
    )


def _period(made: Statement) -> dict[str, str | None]:
    return {
        "from": iso(made.first) if made.first else None,
        "to": iso(made.last) if made.last else None,
    }


def _line(line: Line, speak: Speaker, names: Names, currency: str) -> dict[str, Any]:
    return {
        "version": line.version,
        "at": iso(line.at),
        "deal": line.deal,
        "kind": line.kind,
        "from": line.reason.posting.source,
        "to": line.reason.posting.target,
        "amount": line.reason.posting.amount,
        **({} if line.change is None else {"change": line.change, "balance": line.balance}),
        "why": speak.why(line.reason, names, currency),
    }


COLUMNS = ("version", "at", "deal", "kind", "from", "to", "amount", "change", "balance", "why")


def _csv(made: Statement, speak: Speaker, title: str | None, names: Names) -> Response:
    """RFC 4180; amounts are whole minor units, as everywhere on the wire."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    for row in _rows(made, speak, names):
        write([_harmless(cell) for cell in row])
    response = Response(out.getvalue(), content_type="text/csv; charset=utf-8; header=present")
    who = f"-{made.player}" if made.player else ""
    name = f"vola-{str(made.session.id)[:8]}{who}-v{made.session.version}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _rows(made: Statement, speak: Speaker, names: Names) -> Iterator[tuple[Any, ...]]:
    session = made.session
    yield COLUMNS
    balance = made.opening if made.player else ""
    yield "", "", "", "opening", "", "", "", "", balance, _whose(made, speak, names)
    for line in made.lines:
        said = _line(line, speak, names, session.opening.currency)
        yield tuple(said.get(column, "") for column in COLUMNS)
    closing = made.closing if made.player else ""
    sealed = speak("statement.sealed", version=session.version, hash=session.hash.hex())
    yield session.version, iso(session.at), "", "closing", "", "", "", "", closing, sealed


def _whose(made: Statement, speak: Speaker, names: Names) -> str:
    who = speak.name(made.player, names) if made.player else speak("statement.everybody")
    if made.unit == "points":
        return speak("statement.of_points", who=who)
    return speak("statement.of", who=who, currency=made.session.opening.currency)


def _harmless(cell: Any) -> Any:
    """A spreadsheet must not take a name for a formula; a negative amount stays a number."""
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + cell
    return cell


def _html(made: Statement, speak: Speaker, title: str | None, names: Names) -> Response:
    session, currency, zone = made.session, made.session.opening.currency, _zone()
    moved = (line.reason.posting.amount for line in made.lines)
    coins = not all(whole(amount, currency) for amount in moved)  # a column has one way of writing

    def money(amount: int, sign: bool = False) -> str:
        return speak.money(amount, currency, sign=sign, fixed=coins)

    def number(points: int, sign: bool = False) -> str:
        return speak.number(points, sign=sign)

    page = render_template(
        "statement.html",
        speak=speak,
        title=title or session.game.name,
        game=session.game.name,
        made=made,
        session=session,
        who=_whose(made, speak, names),
        names={p: name_of(p, names) for p in session.table.players},
        money=money,
        amount=number if made.unit == "points" else money,
        number=number,
        side=lambda keeper: speak.people(keeper.split("+"), names),
        account=lambda a: speak.account(a, names),
        why=lambda line: speak.why(line.reason, names, currency),
        day=lambda at: moment(at).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z") if at else "–",
        hour=lambda at: moment(at).astimezone(zone).strftime("%H:%M"),
        mine=made.player is not None,
        bets=bets(session) or (),
        due=[p for p in session.payments.values() if p.status == "due"],
    )
    return Response(page, content_type="text/html; charset=utf-8")


def _zone() -> ZoneInfo:
    """The clock on the wall where it was played (`?tz=`); Sweden and Denmark share one."""
    asked = request.args.get("tz", "Europe/Stockholm")
    try:
        return ZoneInfo(asked)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        detail = "A time zone, such as Europe/Stockholm."
        raise ShapeWrong([{"pointer": "?tz", "detail": detail}]) from None


FORMATS: dict[str, Callable[[Statement, Speaker, str | None, Names], Response]] = {
    "json": _json,
    "csv": _csv,
    "html": _html,
}
MEDIA = {"application/json": "json", "text/csv": "csv", "text/html": "html"}
