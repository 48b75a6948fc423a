"""Transfers: money that one player paid another outside the game."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.responses import reply_response
from api.http.session_request import append
from api.representations.session import render_write_outcome
from api.schemas.settlement import TransferSchema
from api.schemas.strict import load_body
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision

blueprint = Blueprint("transfers", __name__, url_prefix="/v1/sessions")


@blueprint.post("/<session>/transfers")
@requires("scorer", writes=True)
def record_transfer() -> Response:
    """Record what one player has paid another."""
    transfer = load_body(TransferSchema, g.body)
    transfer.pop("why", None)

    def decide(session: SessionState) -> Decision:
        return Decision(events=command_handlers.record_transfer(session, **transfer))

    return reply_response(append(decide, render_write_outcome))
