"""What the server says while it runs: sentences for whoever sits at it, or a line of JSON for each
thing that happens and each request that was answered.

No name, token, cookie, query or body is in it (api.answered), nor a session's id: a log is kept
for longer and by other people than the book, and `X-Request-Id` is enough to find a line by. Of an
error it says where it came from and of what kind it was, but not its own words, which may quote
what somebody has sent or what a row holds.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from api.answered import Answered

Form = Literal["text", "json"]
FORMS: tuple[Form, ...] = ("text", "json")

access = logging.getLogger("vola.access")


class Text(logging.Formatter):
    """`WARNING vola.relay: …`, one line; what could steer a terminal is written out."""

    def format(self, record: logging.LogRecord) -> str:
        said = plain(f"{record.levelname} {record.name}: {record.getMessage()}")
        return f"{said}\n{where(record.exc_info[1])}" if record.exc_info else said


class Json(logging.Formatter):
    """One object a line, in ASCII: a name for everything that a record carries."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            said["traceback"] = where(record.exc_info[1])
        return json.dumps(said)


def begin(form: Form | None) -> None:
    """Say everything on the error output, in this form; without one, as suits who reads it: text
    for a terminal, JSON for whatever keeps logs. May be called again, as after a fork."""
    chosen = form or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler()
    handler.setFormatter(Json() if chosen == "json" else Text())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    access.setLevel(logging.INFO if chosen == "json" else logging.WARNING)


def answered(told: "Answered") -> None:
    """A line for a request that was answered."""
    if access.isEnabledFor(logging.INFO):
        said = msgspec.structs.asdict(told)
        said["duration_ms"] = said.pop("micros") / 1000
        line = logging.LogRecord(access.name, logging.INFO, "", 0, "answered", None, None)
        line.told = said
        access.handle(line)  # as `info` does, which would look for the line of code it is said in


def where(error: BaseException | None) -> str:
    """The lines that an error came through, and its kind; of those that led to it, too."""
    if error is None:
        return ""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    led = [where(before), "which led to"] if before else []
    lines = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return "\n".join([*led, lines, type(error).__qualname__])


def plain(text: str) -> str:
    """Nothing that steers a terminal, ends a line or turns it round: such signs are written out."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )
