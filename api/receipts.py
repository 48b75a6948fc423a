"""What somebody takes home from an evening: receipts and the whole history, signed, to be checked
without us (contract.md §4; `verify.py` and the page `/verify` check them)."""

from typing import Any

from flask import Blueprint, Response, current_app, g, request

from api import access
from api.preconditions import as_json, number
from api.problems import Problem, ShapeWrong
from api.sessions import shown, store, tagged
from api.state import receipt
from ledger import export
from ledger.receipts import Receipts, Signed, UnknownVersion

blueprint = Blueprint("receipts", __name__, url_prefix="/v1")

MOST_VERSION = 2**31 - 1


@blueprint.get("/sessions/<session>/receipts/<int:version>")
@access.requires("viewer")
def show(version: int) -> Response:
    """What stood under an acknowledgement, and that it stands in the evening of now, or of `to`."""
    if not 1 <= version <= MOST_VERSION:
        raise Problem(404, "unknown_version", version=version)
    to = number("to", 0, version, MOST_VERSION) if "to" in request.args else None
    try:
        made = receipts().receipt(g.session_id, version, to)
    except UnknownVersion as unknown:
        raise Problem(404, "unknown_version", version=unknown.version) from None
    said = {
        "format": "vola receipt 1",
        "session": str(made.session_id),
        **_signed(made.own),
        "key": made.key.hex(),
        "head": _signed(made.head),
        "inclusion": [hash_.hex() for hash_ in made.inclusion],
        "consistency": [hash_.hex() for hash_ in made.consistency],
    }
    return shown(said, made.head.version)


@blueprint.get("/sessions/<session>/export")
@access.requires("viewer")
def whole() -> Response:
    """Every event with its seal, and the signed checkpoint they lead to.

    Names are not in it; with `?names=true`, for the host, they are, and the title and remarks: all
    that another book needs to go on with it.
    """
    labelled = _labelled()
    text = export.as_json(store(), receipts(), g.session_id, labelled=labelled)
    made = Response(text, content_type="application/json")
    name = f"vola-{str(g.session_id)[:8]}.json"
    made.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return tagged(made, None)


def _labelled() -> bool:
    """Whether names are to come along: salts are in it, which only the host may let out."""
    given = request.args.get("names", "false")
    if given not in ("true", "false"):
        raise ShapeWrong([{"pointer": "?names", "detail": "Must be one of: true, false."}])
    if given == "true" and g.role != "host":
        raise Problem(403, "role_too_low", role=g.role, needed="host")
    return given == "true"


@blueprint.get("/key")
def key() -> Response:
    """The public half of the key that this book signs with; for everybody."""
    said = {"algorithm": "Ed25519", "key": receipts().keys.public.hex()}
    made = Response(as_json(said), content_type="application/json")
    made.headers["Cache-Control"] = "no-cache"
    return made


def receipts() -> Receipts:
    found: Receipts = current_app.extensions["receipts"]
    return found


def _signed(stood: Signed) -> dict[str, Any]:
    return {**receipt(stood.version, stood.hash, stood.at), "checkpoint": stood.note}
