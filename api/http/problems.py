"""Every refusal leaves as application/problem+json (RFC 9457), built in this file.

The code is for programs and never changes; the detail is for the reader, in his language.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import psycopg
from flask import Flask, Response, current_app, g, request
from marshmallow import ValidationError
from psycopg_pool import PoolTimeout
from werkzeug.exceptions import HTTPException

from api import words
from engine.errors import RuleViolation
from ledger.circles import UnknownCircle
from ledger.envelope import Unreadable
from ledger.writing import KeyReused, Stale, UnknownSession, VersionRequired


class Problem(Exception):
    """A refusal that is neither a rule's nor a lost race: a malformed request, no access."""

    def __init__(
        self, status: int, code: str, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(code)
        self.status, self.code, self.more = status, code, more
        self.headers = dict(headers or {})


class ShapeWrong(Exception):
    """The body is JSON but not of the right shape: JSON pointers and what is wrong there."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        super().__init__(errors)
        self.errors = errors


TITLES = {
    400: "Malformed request",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    408: "Too slow",
    409: "Refused",
    412: "Out of date",
    413: "Too large",
    415: "Unsupported media type",
    422: "Wrong shape",
    428: "Precondition required",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
}


def response(
    status: int, code: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """A problem document. `detail` is looked up by the code unless given."""
    speak = words.speaker()
    names = g.get("names") or {}
    body = {
        "type": f"/docs#problem-{code}",
        "title": TITLES.get(status, "Refused"),
        "status": status,
        "code": code,
        "detail": more.pop("detail", None) or speak.problem(code, more, names, g.get("currency")),
        **more,
    }
    made = Response(msgspec.json.encode(body), status, content_type="application/problem+json")
    made.headers.update(headers or {})
    made.headers["Cache-Control"] = "no-store"
    made.headers["Content-Language"] = speak.language
    g.problem = code  # for the log and the figures
    return made


def pointers(messages: Any, path: str = "") -> list[dict[str, str]]:
    """Nested messages as JSON pointers (RFC 6901), one line each."""
    if isinstance(messages, dict):
        lines = []
        for key, inner in messages.items():
            step = "" if key == "_schema" else "/" + str(key).replace("~", "~0").replace("/", "~1")
            lines += pointers(inner, path + step)
        return lines
    texts = messages if isinstance(messages, list) else [messages]
    return [{"pointer": path, "detail": str(text)} for text in texts]


def register(app: Flask) -> None:
    """Hang the refusals on the app; nothing else makes an error body."""
    app.register_error_handler(Problem, lambda p: response(p.status, p.code, p.headers, **p.more))
    app.register_error_handler(ShapeWrong, lambda s: _shape(s.errors))
    app.register_error_handler(ValidationError, lambda v: _shape(pointers(v.messages)))
    app.register_error_handler(RuleViolation, lambda r: response(409, r.code, **r.operands))
    app.register_error_handler(UnknownSession, lambda _: response(404, "unknown_session"))
    app.register_error_handler(UnknownCircle, lambda _: response(404, "unknown_circle"))
    app.register_error_handler(KeyReused, lambda _: response(422, "idempotency_key_reused"))
    app.register_error_handler(VersionRequired, lambda _: response(428, "version_required"))
    app.register_error_handler(Stale, _stale)
    app.register_error_handler(psycopg.errors.LockNotAvailable, lambda _: _still_running())
    app.register_error_handler(psycopg.OperationalError, _unavailable)
    app.register_error_handler(psycopg.errors.ReadOnlySqlTransaction, _unavailable)
    app.register_error_handler(PoolTimeout, _unavailable)
    app.register_error_handler(Unreadable, _of_a_newer_one)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _internal)


def _shape(errors: list[dict[str, str]]) -> Response:
    speak = words.speaker()
    told = [{**error, "detail": speak.field(error["detail"])} for error in errors]
    return response(422, "wrong_shape", errors=told)


def _stale(stale: Stale) -> Response:
    return response(412, "stale_version", {"ETag": f'"{stale.actual}"'}, actual=stale.actual)


def _still_running() -> Response:
    return response(409, "still_running", {"Retry-After": "2"})


def _unavailable(error: Exception) -> Response:
    """A database that is away is no fault of ours: a line each, for there will be many."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    current_app.logger.warning("%s %s: %s", request.method, request.url_rule, said[0])
    return response(503, "database_unavailable", {"Retry-After": "2"})


def _of_a_newer_one(_: Unreadable) -> Response:
    """Servers are replaced one by one, and another one may know this event already."""
    current_app.logger.warning("%s %s: an unknown event", request.method, request.url_rule)
    return response(503, "event_unknown", {"Retry-After": "10"})


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    headers = {k: v for k, v in error.get_headers() if k in ("Allow", "Retry-After")}
    return response(status, words.HTTP_CODES.get(status, "refused"), headers)


def _internal(error: Exception) -> Response:
    _log(error)
    return response(500, "internal_error", request_id=g.get("request_id", ""))


def _log(error: Exception) -> None:
    current_app.logger.error(
        "%s %s failed",
        request.method,
        request.url_rule,
        exc_info=error,
        extra={"told": {"request_id": g.get("request_id", "")}},
    )
