"""Cosignatures: the phones whose holders have confirmed the sums of a version, and the witnesses,
such as other books, that follow the session.

The cosignature of a phone is stored once and never changes; that of a witness is replaced only by
the same witness's next version. So neither needs an idempotency key or a version. The session is
locked only while its cosignatures are counted and one is stored.
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
from api.schemas.access import CosignatureSchema, WitnessSchema
from api.schemas.strict import load_body
from engine.errors import NoSuchPlayer
from ledger.access.objections import withdraw_objection
from ledger.proofs.checkpoint import UnverifiedNote
from ledger.proofs.cosignature import Cosignature
from ledger.proofs.witnesses import Witness

blueprint = Blueprint("cosignatures", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, UnverifiedNote, 409, "cosignature_invalid")


@blueprint.get("/<session>/cosignatures")
@requires("viewer")
def list_cosignatures() -> Response:
    """Return all cosignatures of the session, by version and player, and its witnesses."""
    listed = receipts().list_cosignatures(g.session_id)
    witnesses = receipts().list_witnesses(g.session_id)
    view = {"cosignatures": [_view(cosignature) for cosignature in listed]}
    return json_response({**view, "witnesses": [witness.json_fields() for witness in witnesses]})


@blueprint.put("/<session>/cosignatures/<key>")
@requires("viewer", has_body=True)
def put_cosignature(key: str) -> Response:
    """Store what the phone with this key has signed for its holder."""
    public_key = _parse_key(key)
    body = load_body(CosignatureSchema)
    if body["player"] not in g.names:
        raise NoSuchPlayer(player=body["player"])
    body["signature"] = b64decode(body["signature"])
    cosignature = Cosignature(key=public_key, **body)
    receipts().cosign(g.session_id, cosignature, by_viewer=g.role == "viewer")
    withdraw_objection(event_store().pool, g.session_id, cosignature.player, cosignature.version)
    return json_response(_view(cosignature))


@blueprint.put("/<session>/witnesses/<key>")
@requires("viewer", has_body=True)
def put_witness(key: str) -> Response:
    """Store the version that the witness with this key has cosigned, unless a newer one is."""
    public_key = _parse_key(key)
    body = load_body(WitnessSchema)
    body["signature"] = b64decode(body["signature"])
    witness = Witness(key=public_key, **body)
    receipts().add_witness(g.session_id, witness)
    return json_response(witness.json_fields())


def _parse_key(key: str) -> bytes:
    """Return the public key of a path. Raise InvalidFields."""
    if not re.fullmatch("[0-9a-f]{64}", key):
        raise InvalidFields([{"pointer": "{key}", "detail": FieldError("pattern")}])
    return bytes.fromhex(key)


def _view(cosignature: Cosignature) -> dict[str, Any]:
    return {"version": cosignature.version, **cosignature.json_fields()}
