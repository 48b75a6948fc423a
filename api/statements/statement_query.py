"""The query of a statement: of whom, in which unit and format, and for which period.

Checks the arguments alone. The SQL is in ledger/reporting/journal_query.py.
"""

from datetime import UTC, datetime
from typing import Literal, NamedTuple

import msgspec
from flask import request
from werkzeug.datastructures import MIMEAccept

from api.http.problems import Problem
from api.http.query_parameters import (
    Arguments,
    Period,
    parameter_error,
    read_period,
)
from api.i18n.field_errors import FieldError
from api.schemas.fields import Choice, field_parameter
from engine.values import Player
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp, to_microseconds
from ledger.projections.postings import Unit
from ledger.reporting.journal_query import FOREVER


class Format(NamedTuple):
    """A format of a statement, and how a browser is to open a file of it."""

    content_type: str
    suffix: str
    disposition: Literal["inline", "attachment"]


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FORMATS = {
    "json": Format("application/json", ".json", "inline"),
    "csv": Format("text/csv; charset=utf-8; header=present", ".csv", "attachment"),
    "html": Format("text/html; charset=utf-8", ".html", "inline"),
    "xlsx": Format(XLSX, ".xlsx", "attachment"),
    "pdf": Format("application/pdf", ".pdf", "inline"),
    "hledger": Format("text/x-hledger; charset=utf-8", ".journal", "attachment"),
}
FORMATS_BY_MEDIA_TYPE = {
    format.content_type.partition(";")[0]: name for name, format in FORMATS.items()
}
LATEST_TIME = to_microseconds(datetime.max.replace(tzinfo=UTC))


class StatementQuery(Period, frozen=True, kw_only=True):
    """What a statement is of, and how it is written."""

    holder: Player | Member | None  # None for all players or members
    unit: Unit
    format: str
    excel: bool

    @property
    def has_period(self) -> bool:
        return bool(self.since or self.until)

    @property
    def json_filters(self) -> dict[str, str | None]:
        """The period as the arguments gave it, and in UTC, so that checking a statement takes no
        database of time zones."""
        return {
            "from": self.since,
            "to": self.until,
            "tz": self.zone.key,
            "begins": None if self.starts_at == -FOREVER else _iso_time(self.starts_at),
            "ends": None if self.ends_at == FOREVER else _iso_time(self.ends_at),
        }


def _iso_time(at: int) -> str:
    """Return a time as text, moved into the years that can be written; no event is outside."""
    return format_timestamp(min(max(at, 0), LATEST_TIME))


def statement_query(
    holder: Player | Member | None, unit: Unit, arguments: Arguments
) -> StatementQuery:
    """Return the query for any statement. Raise Problem (406) or InvalidFields."""
    format_name, period = _requested_format(arguments), read_period(arguments)
    if period.starts_at >= period.ends_at:
        raise parameter_error("to", FieldError("backwards"))
    return StatementQuery(
        holder=holder,
        unit=unit,
        format=format_name,
        excel=_is_for_excel(format_name, arguments),
        **msgspec.structs.asdict(period),
    )


def _requested_format(arguments: Arguments) -> str:
    """Return the format of `?format=`, or else the one that the Accept header prefers, whose
    parameters (`charset=utf-8`) choose nothing."""
    name = arguments.get("format")
    if name is None:
        if not request.accept_mimetypes:
            return "json"
        plain_ranges = ((text.partition(";")[0], q) for text, q in request.accept_mimetypes)
        media_type = MIMEAccept(plain_ranges).best_match(list(FORMATS_BY_MEDIA_TYPE))
        name = FORMATS_BY_MEDIA_TYPE.get(media_type or "")
    if name is None or name not in FORMATS:
        raise Problem(406, "not_acceptable", formats=list(FORMATS))
    return name


def _is_for_excel(format_name: str, arguments: Arguments) -> bool:
    """Return whether a table is to open in a Nordic Excel (`?profile=excel`)."""
    if "profile" not in arguments:
        return False
    if format_name != "csv":
        raise parameter_error(
            "profile", FieldError("comes_with", one="profile", other="format=csv")
        )
    field_parameter("profile", Choice(("excel",)), arguments)
    return True
