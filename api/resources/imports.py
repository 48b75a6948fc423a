"""Import a session from another Vola, from the file that its host exported there.

The file is checked in full before anything is written (ledger/transfer/import_check.py). It has no
tokens: the response has new ones, as when a session is opened.
"""

from flask import Blueprint, Response, g
from marshmallow import ValidationError

from api.http.app_state import event_store, token_secret
from api.http.idempotency import append_request, read_write_request
from api.http.problems import Problem, register_refusal
from api.i18n.field_errors import FieldError
from api.i18n.translator import request_translator
from api.rate_limit.policy import IMPORTS, Policy
from api.representations.imported_session import (
    import_checked,
    import_fault,
    imported_session_tokens,
)
from api.representations.session import creation_response
from api.schemas.export import check_export_in_time, parse_export
from ledger.transfer import import_session
from ledger.transfer.export_format import InvalidExport

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")
register_refusal(blueprint, import_session.SessionExists, 409, "session_exists", "version")

MAX_BYTES = 16 * 1024 * 1024
"""Some 40,000 events: eight deals a minute, recorded card by card, for three hours."""


@blueprint.post("")
@Policy(pool="imports", max_bytes=MAX_BYTES, address_quota=IMPORTS)
def import_export() -> Response:
    """Import the session under its own id, once per key. Needs no token; returns one per role."""
    read_write_request(creates=True)
    request = append_request("any", import_session.import_key(g.key))
    store = event_store()
    reply = import_session.find_reply(store, request)
    export = parse_export(g.body)
    if reply is None:
        try:
            import_session.refuse_existing(store, export)
            reply = import_checked(store, check_export_in_time(export), request)
        except InvalidExport as error:
            problem = Problem(422, "export_invalid", reason=error.reason, version=error.version)
            problem.operands["detail"] = import_fault(error, request_translator().language)
            raise problem from error
        except import_session.DuplicateName:
            raise ValidationError({"names": [FieldError("same_name", people="players")]}) from None
    tokens = imported_session_tokens(token_secret(), reply.session_id, export)
    return creation_response(reply, tokens)
