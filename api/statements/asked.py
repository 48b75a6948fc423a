"""What somebody asks a statement for: whose, in what, from when to when, in which format.

Shapes only; whether there is anything in it is for the ledger to say.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from flask import request

from api.problems import Problem, ShapeWrong
from engine.values import Player
from ledger.circles import Member
from ledger.movements import FOREVER
from ledger.postings import Unit
from ledger.session import Session
from ledger.statement import unit_of, units
from ledger.times import EPOCH

Choice = TypeVar("Choice", bound=str)

MEDIA = {
    "application/json": "json",
    "text/csv": "csv",
    "text/html": "html",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/pdf": "pdf",
    "text/x-hledger": "hledger",
}
FORMATS = tuple(MEDIA.values())
MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """`first` and `end` in microseconds, `end` itself not within; `since` and `until` as asked."""

    whose: Player | Member | None
    unit: Unit
    format: str
    excel: bool
    zone: ZoneInfo
    since: str | None
    until: str | None
    first: int = -FOREVER
    end: int = FOREVER


def asked(session: Session) -> Asked:
    """What this request asks for of an evening. Problem (404, 406) or ShapeWrong."""
    player = request.args.get("player")
    if player is not None and player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    return chosen(player, _unit(session))


def chosen(whose: Player | Member | None, unit: Unit) -> Asked:
    """What is asked of every statement. Problem (406) or ShapeWrong."""
    wanted, here = _format(), zone()
    since, until = moment("from"), moment("to")
    return Asked(
        whose=whose,
        unit=unit,
        format=wanted,
        excel=_excel(wanted),
        zone=here,
        since=since,
        until=until,
        first=begins("from", since, here) if since else -FOREVER,
        end=ends("to", until, here) if until else FOREVER,
    )


def _format() -> str:
    wanted = request.args.get("format")
    if wanted is None:
        best = request.accept_mimetypes.best_match(list(MEDIA))
        if not request.accept_mimetypes:
            return "json"
        if best is None:
            raise Problem(406, "not_acceptable", formats=list(FORMATS))
        return MEDIA[best]
    if wanted not in FORMATS:
        raise Problem(406, "not_acceptable", formats=list(FORMATS))
    return wanted


def _excel(wanted: str) -> bool:
    """A table as a Nordic Excel opens it (`?profile=excel`)."""
    profile = request.args.get("profile")
    if profile is None:
        return False
    if wanted != "csv":
        raise _wrong("profile", "A `profile` comes with its `csv`.")
    if profile != "excel":
        raise _wrong("profile", "Must be one of: excel.")
    return True


def _unit(session: Session) -> Unit:
    """In points or in money (`?unit=`), when it is played for both."""
    return one_of("unit", units(session), unit_of(session))


def one_of(name: str, known: Sequence[Choice], default: Choice) -> Choice:
    """A choice among these. ShapeWrong."""
    wanted = request.args.get(name)
    for one in known:
        if one == wanted:
            return one
    if wanted is None:
        return default
    raise _wrong(name, f"Must be one of: {', '.join(known)}.")


def zone() -> ZoneInfo:
    """The clock on the wall where it was played (`?tz=`); Sweden and Denmark share one."""
    try:
        return ZoneInfo(request.args.get("tz", "Europe/Stockholm"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _wrong("tz", "A time zone, such as Europe/Stockholm.") from None


def moment(name: str) -> str | None:
    """An ISO date or time. In an address a plus sign reads as a space, unless it is escaped."""
    given = request.args.get(name)
    if given is None:
        return None
    text = given.replace(" ", "+")
    if not MOMENT.fullmatch(text):
        raise _no_moment(name)
    return text


def begins(name: str, text: str, zone: ZoneInfo) -> int:
    """In microseconds; on the wall's clock unless it says its offset."""
    try:
        at = datetime.fromisoformat(text)
        local = at.replace(tzinfo=zone) if at.tzinfo is None else at
        return (local - EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise _no_moment(name) from None


def ends(name: str, text: str, zone: ZoneInfo) -> int:
    """A day is meant with all its hours, on a clock that may be put forward or back that night."""
    if "T" in text:
        return begins(name, text, zone)
    try:
        following = datetime.fromisoformat(text) + timedelta(days=1)
    except OverflowError:
        return FOREVER  # the last day there is
    except ValueError:
        raise _no_moment(name) from None
    return begins(name, following.date().isoformat(), zone)


def _no_moment(name: str) -> ShapeWrong:
    return _wrong(name, "A date or a time, such as 2026-11-21 or 2026-11-21T19:30:00+01:00.")


def _wrong(name: str, detail: str) -> ShapeWrong:
    return ShapeWrong([{"pointer": f"?{name}", "detail": detail}])
