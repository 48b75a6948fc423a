"""Problem documents (RFC 9457): every error response is built by `problem_response`.

`code` is stable and for programs; `detail` is for people, in the language of the request.
"""

import errno
from collections.abc import Mapping
from typing import Any

import msgspec
import psycopg
from flask import Blueprint, Flask, Response, current_app, g, request
from marshmallow import ValidationError
from werkzeug.exceptions import HTTPException

import migrations
from api.i18n.translator import NO_NAMES, request_translator
from engine.errors import RuleViolation, SessionClosed
from ledger.access.devices import MAX_ACTIVE_DEVICES, TooManyDevices
from ledger.embedded.data_folder import find_fault
from ledger.events.recorded_event import UnknownSession, UnreadableEvent
from ledger.groups.group_event_log import UnreadableGroupEvent
from ledger.groups.groups import MAX_MEMBERS, TooManyMembers, UnknownGroup, UnknownMember
from ledger.operations import health
from ledger.operations.automatic_backups import AutomaticBackups
from ledger.proofs.receipts import UnknownVersion
from ledger.store.append_request import KeyReused, Refusal


class Problem(Refusal):
    """A refusal that is neither a rule's nor a lost race: a malformed request, no access."""

    def __init__(
        self, status: int, code: str, headers: Mapping[str, str] | None = None, **operands: object
    ) -> None:
        super().__init__(code)
        self.status, self.code, self.operands = status, code, operands
        self.headers = dict(headers or {})


class InvalidFields(Refusal):
    """A body or query with invalid fields: a JSON pointer and a detail for each. Status 422."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        super().__init__(errors)
        self.errors = errors


def overloaded() -> Problem:
    """Return the problem that the server has no thread free for a request; nothing was done."""
    return Problem(503, "overloaded", {"Retry-After": "2"})


def busy() -> Problem:
    """Return the same for a long request, of which the server runs only a few at once."""
    return Problem(503, "busy", {"Retry-After": "5"})


MISSING_IN_DATABASE = (
    *(psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn),
    *(psycopg.errors.UndefinedFunction, psycopg.errors.UndefinedObject),
)
HTTP_CODES = {
    400: "malformed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    416: "range_not_satisfiable",
    429: "too_many_requests",
    500: "internal_error",
    503: "database_unavailable",
}
"""The problem codes of Flask's own refusals."""

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


def problem_response(
    status: int, code: str, headers: Mapping[str, str] | None = None, **operands: Any
) -> Response:
    """Return a problem document; `detail` is translated from the code unless it is an operand."""
    translate = request_translator(g.get("names") or NO_NAMES)
    document = {
        "type": f"/docs#problem-{code}",
        "title": TITLES.get(status, "Refused"),
        "status": status,
        "code": code,
        "detail": operands.pop("detail", None)
        or translate.problem_detail(code, operands, g.get("currency")),
        **operands,
    }
    encoded = msgspec.json.encode(document)
    response = Response(encoded, status, content_type="application/problem+json")
    response.headers.update(headers or {})
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Language"] = translate.language
    g.problem = code  # for the access log and the metrics
    return response


def register_refusal(
    views: Flask | Blueprint,
    error: type[Exception],
    status: int,
    code: str,
    *operands: str,
    **constants: object,
) -> None:
    """Answer this error of these views with a problem: its operands are attributes of the error or
    else parts of the request's path, and the constants."""

    def respond(raised: Exception) -> Response:
        named_values = {**(request.view_args or {}), **vars(raised)}
        values = {name: named_values[name] for name in operands}
        return problem_response(status, code, None, **values, **constants)

    views.register_error_handler(error, respond)


def json_pointers(messages: Any, path: str = "") -> list[dict[str, str]]:
    """Return marshmallow's nested messages as a list of JSON pointers (RFC 6901) with details."""
    if isinstance(messages, dict):
        errors = []
        for key, nested in messages.items():
            step = "" if key == "_schema" else "/" + str(key).replace("~", "~0").replace("/", "~1")
            errors += json_pointers(nested, path + step)
        return errors
    return [{"pointer": path, "detail": text} for text in messages]


def register(app: Flask) -> None:
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(InvalidFields, lambda invalid: _invalid_fields(invalid.errors))
    app.register_error_handler(
        ValidationError, lambda invalid: _invalid_fields(json_pointers(invalid.messages))
    )
    app.register_error_handler(
        RuleViolation, lambda refused: problem_response(409, refused.code, None, **refused.operands)
    )
    app.register_error_handler(SessionClosed, _session_closed)
    register_refusal(app, UnknownSession, 404, "unknown_session")
    register_refusal(app, UnknownVersion, 404, "unknown_version", "version")
    register_refusal(app, UnknownGroup, 404, "unknown_group")
    app.register_error_handler(UnknownMember, _unknown_member)
    register_refusal(app, TooManyDevices, 409, "too_many_devices", most=MAX_ACTIVE_DEVICES)
    register_refusal(app, TooManyMembers, 409, "too_many_members", most=MAX_MEMBERS)
    register_refusal(app, KeyReused, 422, "idempotency_key_reused")
    app.register_error_handler(
        psycopg.errors.LockNotAvailable,
        lambda _: problem_response(409, "still_running", {"Retry-After": "2"}),
    )
    app.register_error_handler(psycopg.OperationalError, _database_unavailable)
    app.register_error_handler(psycopg.errors.ReadOnlySqlTransaction, _database_unavailable)
    app.register_error_handler(
        OSError, lambda e: (_database_unavailable if is_disk_full(e) else _internal_error)(e)
    )
    app.register_error_handler(UnreadableEvent, _unreadable_event)
    app.register_error_handler(UnreadableGroupEvent, _unreadable_event)
    for missing in MISSING_IN_DATABASE:
        app.register_error_handler(missing, _missing_in_database)
    app.register_error_handler(HTTPException, _http_exception)
    app.register_error_handler(Exception, _internal_error)


def _problem(problem: Problem) -> Response:
    return problem_response(problem.status, problem.code, problem.headers, **problem.operands)


def _session_closed(refused: SessionClosed) -> Response:
    """Ask to reopen the session only where that can be done."""
    translate = request_translator()
    detail = translate("closed_and_carried_forward") if g.get("carried_to") else None
    return problem_response(409, refused.code, None, detail=detail, **refused.operands)


def _unknown_member(unknown: UnknownMember) -> Response:
    names, detail = g.get("names") or NO_NAMES, None
    if names.get(unknown.member, "") is None:  # so the name was erased
        translate = request_translator(names)
        detail = translate("member_erased", member=translate.player_name(unknown.member))
    return problem_response(404, "unknown_member", member=unknown.member, detail=detail)


def _invalid_fields(errors: list[dict[str, str]]) -> Response:
    translate = request_translator()
    translated = [{**error, **translate.field_error(error["detail"])} for error in errors]
    return problem_response(422, "wrong_shape", errors=translated)


def is_disk_full(error: Exception | None) -> bool:
    """Whether this is about a full disk: the database's, or that of the temporary files in which
    long responses are made."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return isinstance(error, psycopg.errors.DiskFull)


def unavailable_problem(app: Flask, error: Exception | None = None) -> Problem:
    """Return the problem of an `app` whose database cannot be used now, with the cause where it is
    known: an embedded book knows its disk."""
    backups: AutomaticBackups | None = app.extensions["automatic_backups"]
    fault = find_fault(backups.data) if backups else None
    if fault == "disk_full" or is_disk_full(error):
        return Problem(503, "disk_full", {"Retry-After": "2"})
    if fault == "data_folder_missing":
        return Problem(503, "data_folder_missing", {"Retry-After": "2"})
    return Problem(503, "database_unavailable", {"Retry-After": "2"})


def _database_unavailable(error: Exception) -> Response:
    """Log one line without a traceback: there are many while the database is out of reach."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    current_app.logger.warning("%s %s: %s", request.method, request.url_rule, lines[0])
    return _problem(unavailable_problem(current_app, error))


def _unreadable_event(_: UnreadableEvent | UnreadableGroupEvent) -> Response:
    """During a rolling upgrade a newer server may have written an event this one cannot read."""
    current_app.logger.warning("%s %s: an unknown event", request.method, request.url_rule)
    return problem_response(503, "event_unknown", {"Retry-After": "10"})


def _missing_in_database(error: Exception) -> Response:
    """During a rolling upgrade a newer version may have renamed what this one asks for."""
    names = (step.name for step in migrations.STEPS)
    if not health.has_newer_migrations(current_app.extensions["store"].pool, names):
        return _internal_error(error)
    line = str(error).strip().splitlines()[0]
    current_app.logger.warning("%s %s: %s", request.method, request.url_rule, line)
    return problem_response(503, "server_outdated", {"Retry-After": "10"})


def _http_exception(error: HTTPException) -> Response:
    status = error.code if error.code in HTTP_CODES else 400
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return problem_response(status, HTTP_CODES[status], headers)


def _internal_error(error: Exception) -> Response:
    log_failure(error)
    return problem_response(500, "internal_error", request_id=g.get("request_id", ""))


def log_failure(error: Exception) -> None:
    current_app.logger.error(
        "%s %s failed",
        request.method,
        request.url_rule,
        exc_info=error,
        extra={"fields": {"request_id": g.get("request_id", "")}},
    )
