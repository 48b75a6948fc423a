"""Signed proofs to take home from a session: receipts, the whole history, and the public key.

`verify.py` and the page `/verify` check them without this server.
"""

from hashlib import sha256
from zoneinfo import ZoneInfo

import msgspec
from flask import Blueprint, Response, g

from api.auth.access import requires
from api.auth.roles import check_role
from api.http.app_state import event_store, receipts
from api.http.json_body import JSON
from api.http.query_parameters import DEFAULT_TIME_ZONE, MAX_INTEGER, integer_parameter
from api.http.responses import REVALIDATE, json_response, key_variant, tag_response
from api.i18n.translator import request_translator
from api.schemas.fields import Choice, field_parameter
from api.statements.file_names import content_disposition, file_name
from ledger.events.timestamps import to_datetime
from ledger.proofs.receipts import UnknownVersion
from ledger.proofs.signing_key import key_words
from ledger.transfer import export

blueprint = Blueprint("receipts", __name__, url_prefix="/v1")


@blueprint.get("/sessions/<session>/receipts/<int:version>")
@requires("viewer")
def show_receipt(version: int) -> Response:
    """Return the signed version, and proofs that the session now, or at `to`, extends it."""
    if not 1 <= version <= MAX_INTEGER:
        raise UnknownVersion(version)
    head = integer_parameter("to", 0, version, MAX_INTEGER) or None
    issuer = receipts()
    receipt = issuer.issue_receipt(g.session_id, version, head)
    cosigned = issuer.cosigned_fields(g.session_id, receipt.head.version, receipt.key)
    view = {
        "format": "vola receipt 1",
        "session": str(receipt.session_id),
        **receipt.checkpoint.json_fields(),
        **receipt.key.json_fields(),
        "head": receipt.head.json_fields(),
        "inclusion": [node.hex() for node in receipt.inclusion],
        "consistency": [node.hex() for node in receipt.consistency],
        **cosigned,
    }
    digest = sha256(msgspec.json.encode(cosigned)).hexdigest()[:16]
    variant = [*([digest] if cosigned else []), *key_variant(receipt.key)]
    response = tag_response(json_response(view), str(receipt.head.version), *variant)
    return _with_file_name(response, "inline", "receipt", version)


@blueprint.get("/sessions/<session>/export")
@requires("viewer")
def export_session() -> Response:
    """Return every event with its hash, and the signed checkpoint they lead to.

    With `?names=true`, for the host, names, title and remarks are in it as well: all that another
    Vola needs to go on with the session.
    """
    labelled = field_parameter("names", Choice(("true", "false"), load_default="false")) == "true"
    if labelled:  # the salts would prove guesses of erased names
        check_role(g.role, "host")
    text = export.export_session(event_store(), receipts(), g.session_id, labelled=labelled)
    response = Response(text, content_type=JSON, headers={"Cache-Control": REVALIDATE})
    return _with_file_name(response, "attachment", "export")


@blueprint.get("/key")
def show_key() -> Response:
    """Return the public half of the key that this server signs with. Needs no token."""
    key = receipts().signing_key().public_bytes
    view = {"algorithm": "Ed25519", "key": key.hex(), "words": key_words(key)}
    return json_response(view, cache_control="no-cache")


@blueprint.get("/keys")
def list_keys() -> Response:
    """Return the signing key, and all before it with their notes about the next. Needs no token."""
    key = receipts().signing_key()
    view = {"algorithm": "Ed25519", "earlier_keys": [], **key.json_fields()}
    return json_response(view, cache_control="no-cache")


def _with_file_name(response: Response, disposition: str, kind: str, *numbers: int) -> Response:
    """Name the file by the session's title, date and game, in the reader's language."""
    session, translator = event_store().load(g.session_id), request_translator()
    words = " ".join((translator(f"files.{kind}"), *map(str, numbers)))
    zone = ZoneInfo(DEFAULT_TIME_ZONE)
    date = to_datetime(session.opened_at).astimezone(zone).date()
    name = f"{file_name(g.metadata.title, str(date), session.game.name, words)}.json"
    response.headers["Content-Disposition"] = content_disposition(disposition, name)
    response.headers["Vary"] = "Accept-Language"
    return response
