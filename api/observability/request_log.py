"""What is remembered of a request when it has been answered: where it went and how it ended.

Everything here comes from lists that are closed (methods, routes, roles, problem codes) or is a
number. So whoever writes it down, in a log or in figures, cannot write down a name, a token or
what somebody has put there for others to read.
"""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import msgspec
from flask import Flask, Response, g, request

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ELSE = "other"
NOWHERE = "none"


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """`route` as the contract writes it, without ids; `code` of a refusal; `micros` until the
    answer began, or for a log until it ended; `bytes` of the body."""

    request_id: str
    method: str
    route: str
    status: int
    code: str | None
    role: str | None
    bytes: int
    micros: int


Listener = Callable[[Answered], None]


class Counted:
    """A body that is sent piece by piece, counted as it goes; closing it closes the original."""

    def __init__(self, pieces: Iterable[bytes | str]) -> None:
        self._pieces, self._each = pieces, iter(pieces)
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes | str]:
        return self

    def __next__(self) -> bytes | str:
        piece = next(self._each)
        self.bytes += len(piece.encode()) if isinstance(piece, str) else len(piece)
        return piece

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


def turned_away(
    *, method: str, status: int, code: str, request_id: str, bytes: int, micros: int
) -> Answered:
    """Of a request that was refused before anybody had looked at where it went."""
    return Answered(
        request_id=request_id,
        method=method if method in METHODS else ELSE,
        route=NOWHERE,
        status=status,
        code=code,
        role=None,
        bytes=bytes,
        micros=micros,
    )


def register(app: Flask, *, begun: Listener, ended: Listener) -> None:
    """Give every request an id, and tell when its answer has begun, and when it has been sent.
    `extensions["tell"]` tells of one that the app never saw."""

    def tell(told: Answered) -> None:
        begun(told)
        ended(told)

    app.extensions["tell"] = tell

    @app.before_request
    def _named() -> None:
        g.request_id = secrets.token_hex(8)
        g.began = time.perf_counter_ns()

    @app.after_request
    def _told(response: Response) -> Response:
        if "request_id" not in g:  # nobody has asked: an answer that is made beforehand
            return response
        since = g.began
        told = Answered(
            request_id=g.request_id,
            method=request.method if request.method in METHODS else ELSE,
            route=route(request.url_rule.rule) if request.url_rule else NOWHERE,
            status=response.status_code,
            code=g.get("problem") if response.status_code >= 400 else None,
            role=g.get("role"),
            bytes=_size(response),
            micros=_since(since),
        )
        begun(told)
        if not _in_pieces(response):
            ended(told)
            return response
        counted = Counted(response.response)
        response.response = counted  # type: ignore[assignment]  # an iterable of either

        @response.call_on_close
        def _sent() -> None:
            ended(msgspec.structs.replace(told, bytes=counted.bytes, micros=_since(since)))

        return response


@lru_cache(maxsize=512)
def route(rule: str) -> str:
    """`/v1/sessions/{session}/deals/{deal}`, of a rule of the app's map."""
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule)


def _in_pieces(response: Response) -> bool:
    """An answer without a body is never closed by whoever sends it, so it has ended already."""
    empty = request.method == "HEAD" or response.status_code in (204, 304)
    return response.is_streamed and not empty


def _size(response: Response) -> int:
    if request.method == "HEAD" or response.status_code in (204, 304) or response.is_streamed:
        return 0  # to ask a stream how long it is would gather it
    return response.calculate_content_length() or 0


def _since(began: int) -> int:
    return (time.perf_counter_ns() - began) // 1000
