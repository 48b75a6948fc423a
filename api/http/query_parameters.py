"""Parameters of the query string, each read and checked in one way everywhere."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from flask import request

from api.http.problems import InvalidFields, Problem
from api.i18n.field_errors import FieldError
from ledger.events.timestamps import to_microseconds
from ledger.reporting.journal_query import FOREVER

Arguments = Mapping[str, str]
"""Query parameters by name: those of the request, or those that a saved statement was made with."""

DEFAULT_TIME_ZONE = "Europe/Stockholm"  # Denmark shares it
MAX_INTEGER = 2**31 - 1
ISO_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A period from `starts_at` up to but not including `ends_at`, in microseconds since 1970;
    `since` and `until` are the texts that it was read from."""

    zone: ZoneInfo
    since: str | None
    until: str | None
    starts_at: int
    ends_at: int


def parameter_error(name: str, detail: str) -> InvalidFields:
    return InvalidFields([{"pointer": f"?{name}", "detail": detail}])


def holder_parameter(arguments: Arguments, name: str) -> str | None:
    """Return `?name=`, which names a player or member, None without it. Raise InvalidFields when
    it is empty."""
    value = arguments.get(name)
    if value == "":
        raise parameter_error(name, FieldError("null"))
    return value


def integer_parameter(name: str, default: int, minimum: int, maximum: int) -> int:
    """Return `?name=` as an integer within these bounds, or `default`. Raise InvalidFields."""
    text = request.args.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,12}", text) or not minimum <= int(text) <= maximum:
        raise parameter_error(name, FieldError("whole", least=minimum, most=maximum))
    return int(text)


def read_version_or_moment(name: str) -> int | datetime | None:
    """Return `?name=` as a version or as a moment with a time zone. Raise InvalidFields."""
    text = request.args.get(name)
    if text is None:
        return None
    if re.fullmatch(r"[1-9][0-9]{0,9}", text) and int(text) <= MAX_INTEGER:
        return int(text)
    moment_text = text.replace(" ", "+")  # an unescaped plus sign arrives as a space
    if ISO_TIME.fullmatch(moment_text):
        with suppress(ValueError):
            moment = datetime.fromisoformat(moment_text)
            if moment.tzinfo is not None:
                return moment
    raise parameter_error(name, FieldError("as_of"))


def read_period(arguments: Arguments) -> Period:
    """Return the period of `?from=`, `?to=` and `?tz=`. Raise InvalidFields."""
    zone = _read_zone(arguments.get("tz", DEFAULT_TIME_ZONE))
    since, starts_at = _read_moment("from", arguments, zone, -FOREVER)
    until, ends_at = _read_moment("to", arguments, zone, FOREVER)
    return Period(zone=zone, since=since, until=until, starts_at=starts_at, ends_at=ends_at)


def _read_zone(name: str) -> ZoneInfo:
    """Return the time zone of this name. Raise InvalidFields, also for files beside the zones, such
    as `localtime`, which is the server's own zone, and `right/UTC`, which counts leap seconds:
    unlike them, every zone begins with a capital letter."""
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        if name[:1].isupper():
            return ZoneInfo(name)
    raise parameter_error("tz", FieldError("time_zone"))


def _read_moment(
    name: str, arguments: Arguments, zone: ZoneInfo, missing: int
) -> tuple[str | None, int]:
    """Return a date or time as text and in microseconds, in this zone unless it has an offset. Of a
    day it is the start, but for `?to=` the end, which may be 23 or 25 hours later."""
    if name not in arguments:
        return None, missing
    text = arguments[name].replace(" ", "+")  # an unescaped plus sign arrives as a space
    if not ISO_TIME.fullmatch(text):
        raise parameter_error(name, FieldError("moment"))
    try:
        at = datetime.fromisoformat(text)
        if name == "to" and "T" not in text:
            if at.date() == date.max:
                return text, FOREVER
            at += timedelta(days=1)
        return text, to_microseconds(at if at.tzinfo else at.replace(tzinfo=zone))
    except (ValueError, OverflowError):
        raise parameter_error(name, FieldError("moment")) from None


def reject_repeated_parameters() -> None:
    """Raise Problem 400 for a repeated name: two readers could take different values."""
    is_of_api = request.routing_exception is None and request.path.startswith("/v1/")
    if request.query_string and is_of_api and any(len(v) > 1 for _, v in request.args.lists()):
        raise Problem(400, "malformed")
