"""An evening from another Vola is taken in, from the file that its host took home there.

What is in the file is shown to hold before anything is written (ledger/importing.py). Nobody's
right comes along: whoever brings it is given new ones, as one who opens an evening is.
"""

import re
import time
from threading import BoundedSemaphore
from typing import Any

import msgspec
from babel.numbers import list_currencies
from flask import Blueprint, Response, g
from marshmallow import ValidationError

from api import access, words
from api.preconditions import as_json, asked, read_write
from api.problems import Problem, ShapeWrong
from api.sessions import Label, answer, secret, store
from api.state import state
from ledger import importing, origins, taking_in
from ledger.cards import Card
from ledger.exported import DoesNotHold, Export
from ledger.importing import Held
from ledger.session import Session

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")

MOST_BYTES = 16 * 1024 * 1024
"""Some 40,000 events: eight deals a minute, recorded card by card, for three hours."""
MOST_SECONDS = 30
"""Of a processor's time, to follow what happened: as much as any evening of that size should need,
and a forged one could take for ever."""
turn = BoundedSemaphore(1)
"""One at a time in each process: it is work for seconds, and needs no right."""


@blueprint.post("")
def bring() -> Response:
    """The same evening as there, once for a key; needs no token, and gives one per role."""
    read_write(MOST_BYTES)
    if not turn.acquire(blocking=False):
        raise Problem(429, "too_many_requests", {"Retry-After": "2"})
    try:
        return _bring()
    finally:
        turn.release()


def _bring() -> Response:
    request = asked(expected="any")
    request = msgspec.structs.replace(request, key=origins.own_key(request.key))
    reply = taking_in.given(store(), request)
    export = shaped(g.body)
    if reply is None:
        try:
            held = checked(export)
            reply = taking_in.take_in(store(), held, request, lambda s: shown(s, held))
        except DoesNotHold as wrong:
            raise _refused(wrong) from wrong
        except taking_in.AlreadyHere as here:
            raise Problem(409, "already_here", version=here.version) from None
        except taking_in.SameName:
            raise ValidationError({"names": ["Two players cannot have the same name."]}) from None
    rights = as_json(access.tokens(secret(), reply.session_id, new_card(export)))
    # tokens are never stored: they are made again, and put behind the stored bytes
    return answer(
        msgspec.structs.replace(reply, body=reply.body[:-1] + b',"tokens":' + rights + b"}")
    )


def shaped(body: Any) -> Export:
    """The export that this JSON is. ShapeWrong, ValidationError."""
    try:
        export = msgspec.convert(body, Export)
    except msgspec.ValidationError as error:
        raise ShapeWrong([_where(str(error))]) from None
    wrong: dict[str | int, Any] = {}
    if export.title:
        _as_written(wrong, Label(), export.title, "title")
    for place, called in enumerate(export.names or ()):
        if called.name is not None:
            _as_written(wrong, Label(), called.name, "names", place, "name")
    for place, remarked in enumerate(export.remarks or ()):
        _as_written(wrong, Label(most=200), remarked.remark, "remarks", place, "remark")
    if wrong:
        raise ValidationError(wrong)
    return export


def checked(export: Export, seconds: int = MOST_SECONDS) -> Held:
    """All that it consists of, once it holds, and is followed in so many seconds. DoesNotHold."""
    until = time.thread_time_ns() + seconds * 10**9
    enough = lambda: time.thread_time_ns() > until  # noqa: E731  # it is as short as its name
    held = importing.check(export, time.time_ns() // 1000, enough)
    if held.session.opening.currency not in ("chips", *list_currencies()):
        raise DoesNotHold("event_impossible", 1)
    return held


def shown(session: Session, held: Held) -> bytes:
    names = {name.player: name.name for name in held.labels.names}
    return as_json(state(session, held.labels.title, names))


def new_card(export: Export) -> Card:
    """With rights that were never anybody's in the other book, even if it had our secret."""
    made = export.generation
    return Card(title=None, generations=(made, made, made), names={})


def sentence(wrong: DoesNotHold, language: str) -> str:
    """What does not hold, for the reader."""
    return words.text(language, f"imports.{wrong.reason}").format(version=wrong.version)


def _refused(wrong: DoesNotHold) -> Problem:
    refused = Problem(422, "export_does_not_hold", reason=wrong.reason, version=wrong.version)
    refused.more["detail"] = sentence(wrong, words.speaker().language)
    return refused


def _as_written(wrong: dict[str | int, Any], label: Label, text: str, *path: str | int) -> None:
    """A label is sealed or signed as it is: what would have to be mended is refused."""
    try:
        if label.deserialize(text) == text:
            return
        said = ["String does not match expected pattern."]
    except ValidationError as error:
        said = list(error.messages)
    for step in path[:-1]:
        wrong = wrong.setdefault(step, {})
    wrong[path[-1]] = said


FORMAT = "vola session 1"
OF_A_KIND = {
    "object": "Must be an object.",
    "array": "Not a valid list.",
    "int": "Not a valid integer.",
    "str": "Not a valid string.",
}


def _where(said: str) -> dict[str, str]:
    """What msgspec says of a shape, as a JSON pointer and one of the sentences that we have."""
    path = re.search(r" - at `\$(.*)`\Z", said)
    pointer = re.sub(r"[.\[]([^.\[\]]*)]?", r"/\1", path[1] if path else "")
    missing = re.match(r"Object missing required field `(\w+)`", said)
    if missing:
        detail = "Missing data for required field."
        return {"pointer": f"{pointer}/{missing[1]}", "detail": detail}
    if said.startswith("Object contains unknown field"):
        return {"pointer": pointer, "detail": "Unknown field."}
    if pointer == "/format":  # of another Vola, or of none
        return {"pointer": pointer, "detail": f"Must be one of: {FORMAT}."}
    expected = re.match(r"Expected `(\w+)`, got", said)
    kind = OF_A_KIND.get(expected[1]) if expected else None
    return {"pointer": pointer, "detail": kind or "String does not match expected pattern."}
