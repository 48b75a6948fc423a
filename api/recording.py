"""Who is writing a deal down just now, for the others who look at the evening: who, never what.

Said again every few seconds by whoever does it. Nothing is appended by it and the last word counts,
so that it needs neither a key nor a version, and never waits for a deal that is being written.
"""

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import Blueprint, Response, g
from marshmallow import validate

from api import access
from api.preconditions import as_json, body
from api.problems import ShapeWrong
from api.sessions import load, shown, store
from api.shapes import Strict, Whole
from ledger import heads, recording
from ledger.heads import Recorder
from ledger.times import iso

blueprint = Blueprint("recording", __name__, url_prefix="/v1/sessions")

PAGE = r"[A-Za-z0-9_-]{1,22}"
HIGHEST = 2**31 - 1

P = ParamSpec("P")
R = TypeVar("R")


class RecordingSchema(Strict):
    deal = Whole(required=True, validate=validate.Range(1, HIGHEST))


def brings(view: Callable[P, R]) -> Callable[P, R]:
    """What is malformed is refused before anybody is asked who he is (contract.md §1)."""

    @wraps(view)
    def read(*args: P.args, **kwargs: P.kwargs) -> R:
        g.body = body()
        return view(*args, **kwargs)

    return read


@blueprint.get("/<session>/recording")
@access.requires("viewer")
def who() -> Response:
    """Everybody who is at it, the longest first."""
    found = heads.look(store().pool, [g.session_id])[g.session_id]
    return shown(told(found.recording))


@blueprint.put("/<session>/recording/<page>")
@brings
@access.requires("scorer")
def say(page: str) -> Response:
    """Whoever asks is writing this deal down, for the next half minute."""
    deal = load(RecordingSchema, g.body)["deal"]
    recording.say(store().pool, g.session_id, g.by, _sign(page), deal)
    return Response(status=204)


@blueprint.delete("/<session>/recording/<page>")
@access.requires("scorer")
def stop(page: str) -> Response:
    """Whoever asks has sent it, or has thought better of it."""
    recording.stop(store().pool, g.session_id, g.by, _sign(page))
    return Response(status=204)


def told(everybody: Iterable[Recorder]) -> dict[str, object]:
    """As the answer and the stream have it."""
    return {"recording": [_view(one) for one in everybody]}


def line(everybody: Iterable[Recorder]) -> bytes:
    """The same as one line."""
    return as_json(told(everybody))


def _sign(page: str) -> str:
    """What a page calls itself, to be told apart from others that came by the same link."""
    if not re.fullmatch(PAGE, page):
        raise ShapeWrong([{"pointer": "{page}", "detail": "1 to 22 letters, digits, - and _."}])
    return page


def _view(one: Recorder) -> dict[str, object]:
    return {
        "by": one.by,
        "label": one.label,
        "deal": one.deal,
        "since": iso(one.since),
        "page": one.page,
    }
