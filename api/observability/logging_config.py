"""Logging: sentences for a terminal, or one JSON object per line for a log collector.

A log is kept longer than the book and read by other people. So it holds no name, token, cookie,
query, body or session id (`api.observability.request_log`); `X-Request-Id` is enough to find a
request. Of an error it has the traceback and the type but not the message, which may quote a
request or a row.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Literal

LogFormat = Literal["text", "json"]

access = logging.getLogger("vola.access")
REPEAT_SECONDS = 60
"""How long an equal warning of the connection pool is left out; see RepeatFilter."""


class TextFormatter(logging.Formatter):
    """`WARNING vola.relay: …` on one line, with control characters escaped."""

    def format(self, record: logging.LogRecord) -> str:
        line = escape_control_characters(f"{record.levelname} {record.name}: {record.getMessage()}")
        return f"{line}\n{format_error(record.exc_info[1])}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One object per line, in ASCII; `record.fields` are members of it."""

    def format(self, record: logging.LogRecord) -> str:
        document: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            document["traceback"] = format_error(record.exc_info[1])
        return json.dumps(document)


class RepeatFilter(logging.Filter):
    """Drops a record whose message, but for its operands, was logged in the last minute. While
    PostgreSQL is away, each pool warns of every attempt to connect, several times a second."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}  # by message

    def filter(self, record: logging.LogRecord) -> bool:
        logged_at = self._logged_at.get(record.msg)
        # the clock may have been set back
        if logged_at is not None and abs(record.created - logged_at) < REPEAT_SECONDS:
            return False
        self._logged_at[record.msg] = record.created
        return True


def configure_logging(log_format: LogFormat | None) -> None:
    """Log to the error output in this format; by default text on a terminal and JSON elsewhere.
    May be called again, as after a fork."""
    log_format = log_format or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    access.setLevel(logging.INFO if log_format == "json" else logging.WARNING)
    logging.getLogger("psycopg.pool").filters = [RepeatFilter()]


def format_error(error: BaseException | None) -> str:
    """Return the traceback and type of an error, and of those that led to it; no messages."""
    if error is None:
        return ""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    causes = [format_error(cause), "which led to"] if cause else []
    lines = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return "\n".join([*causes, lines, type(error).__qualname__])


def escape_control_characters(text: str) -> str:
    """Escape what could steer a terminal, end a line or reverse the text direction."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
