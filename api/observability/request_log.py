"""What the log and the metrics record of each request.

Every field is a number or comes from a closed list (methods, routes, roles, problem codes), so no
record can hold a name, a token or text that a client chose.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import getrandbits

import msgspec
from flask import Flask, Response

from api.http.app_state import current_request, request_globals
from api.observability.logging_config import access

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
NO_ROUTE = "none"


class RequestRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`route` as the contract writes it, without ids; `code` of a refusal; `bytes` of the body;
    `micros` until the response began, or in the log until it ended."""

    request_id: str
    method: str
    route: str = NO_ROUTE
    status: int
    code: str | None
    role: str | None = None
    bytes: int
    micros: int


RequestListener = Callable[[RequestRecord], None]


def register(app: Flask, count_request: RequestListener) -> None:
    """Give every request an id, count it when its response has begun, and log it when that has been
    sent. `extensions["record_request"]` records a request that the app never saw."""

    def record_request(record: RequestRecord) -> None:
        count_request(record)
        log_request(record)

    app.extensions["record_request"] = record_request

    @app.before_request
    def _start_request() -> None:
        values = request_globals()
        # no secret, and the system's random numbers cost a system call without the interpreter lock
        values.request_id = f"{getrandbits(64):016x}"
        values.started_ns = time.perf_counter_ns()

    @app.after_request
    def _record_response(response: Response) -> Response:
        request, values = current_request(), request_globals()
        if "request_id" not in values:  # a refusal made in advance, without a request
            return response
        started_ns, status = values.started_ns, response.status_code
        has_body = request.method != "HEAD" and status not in (204, 304)
        is_streamed = has_body and response.is_streamed
        size = (response.calculate_content_length() or 0) if has_body and not is_streamed else 0
        record = RequestRecord(
            request_id=values.request_id,
            method=known_method(request.method),
            route=route_template(request.url_rule.rule) if request.url_rule else NO_ROUTE,
            status=status,
            code=values.get("problem") if status >= 400 else None,
            role=values.get("role"),
            bytes=size,
            micros=_micros_since(started_ns),
        )
        count_request(record)
        if not is_streamed:
            log_request(record)
            return response
        body, chunks = response.response, response.iter_encoded()

        def count_bytes() -> Iterator[bytes]:
            nonlocal size
            for chunk in chunks:
                size += len(chunk)
                yield chunk

        @response.call_on_close
        def _record_end() -> None:
            if hasattr(body, "close"):
                body.close()
            micros = _micros_since(started_ns)
            log_request(msgspec.structs.replace(record, bytes=size, micros=micros))

        response.response = count_bytes()
        response.direct_passthrough = False  # of a file: with it, nothing is called on close
        return response


def log_request(record: RequestRecord) -> None:
    if access.isEnabledFor(logging.INFO):
        fields = msgspec.structs.asdict(record)
        fields["duration_ms"] = fields.pop("micros") / 1000
        line = logging.LogRecord(access.name, logging.INFO, "", 0, "answered", None, None)
        line.fields = fields
        access.handle(line)  # like `info`, which would also look up the caller's line of code


@lru_cache(maxsize=512)
def route_template(rule: str) -> str:
    """Return a rule of the app's URL map as `/v1/sessions/{session}/deals/{deal}`."""
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)


def known_method(method: str) -> str:
    """Return the method, or OTHER_METHOD for one that HTTP does not define."""
    return method if method in METHODS else OTHER_METHOD


def _micros_since(started_ns: int) -> int:
    return (time.perf_counter_ns() - started_ns) // 1000
