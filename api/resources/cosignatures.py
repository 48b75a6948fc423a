"""Cosignatures: the phones whose holders have confirmed the sums of a version.

A cosignature is stored once and never changes, so it needs neither an idempotency key nor a
version, and never waits for the session's lock.
"""

import re
from base64 import b64decode
from typing import Any

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import event_store, receipts
from api.http.problems import InvalidFields, register_refusal
from api.http.responses import json_response
from api.i18n.field_errors import FieldError
from api.schemas.access import CosignatureSchema
from api.schemas.strict import load_body
from engine.errors import NoSuchPlayer
from ledger.access.objections import withdraw_objection
from ledger.proofs.checkpoint import UnverifiedNote
from ledger.proofs.cosignature import Cosignature
from ledger.proofs.receipts import MAX_COSIGNATURES, TooManyCosignatures, UnknownVersion

blueprint = Blueprint("cosignatures", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, UnknownVersion, 404, "unknown_version", "version")
register_refusal(blueprint, UnverifiedNote, 409, "cosignature_invalid")
register_refusal(
    blueprint, TooManyCosignatures, 409, "too_many_cosignatures", most=MAX_COSIGNATURES
)


@blueprint.get("/<session>/cosignatures")
@requires("viewer")
def list_cosignatures() -> Response:
    """Return all cosignatures of the session, by version and player."""
    listed = receipts().list_cosignatures(g.session_id)
    return json_response({"cosignatures": [_view(cosignature) for cosignature in listed]})


@blueprint.put("/<session>/cosignatures/<key>")
@requires("viewer", has_body=True)
def put_cosignature(key: str) -> Response:
    """Store what the phone with this key has signed for its holder."""
    if not re.fullmatch("[0-9a-f]{64}", key):
        raise InvalidFields([{"pointer": "{key}", "detail": FieldError("pattern")}])
    body = load_body(CosignatureSchema, g.body)
    if body["player"] not in g.names:
        raise NoSuchPlayer(player=body["player"])
    cosignature = Cosignature(
        version=body["version"],
        player=body["player"],
        key=bytes.fromhex(key),
        signature=b64decode(body["signature"]),
    )
    receipts().cosign(g.session_id, cosignature)
    withdraw_objection(event_store().pool, g.session_id, cosignature.player)
    return json_response(_view(cosignature))


def _view(cosignature: Cosignature) -> dict[str, Any]:
    return {"version": cosignature.version, **cosignature.json_fields()}
