"""The settlement of a session: who is to pay whom, and what one player has paid another."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.responses import reply_response, session_response, set_language
from api.http.session_request import append, read_session
from api.i18n.translator import request_translator
from api.representations.session import render_write_outcome
from api.representations.settlement import settlement_view
from api.schemas.settlement import TransferSchema, requested_policy, requested_treasurer
from api.schemas.strict import load_body
from ledger.session import command_handlers
from ledger.session.preview import preview_closing
from ledger.store.append_request import Decision

blueprint = Blueprint("settlement", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/settlement")
@requires("viewer")
def show_settlement() -> Response:
    """Return the fewest transfers that bring every balance to zero, or all `?through=` one player.

    What still lies in the pot and on bets belongs to no player yet; it is paid to the pot. With
    `?leftover_policy=`: as if the session were closed now with that policy.
    """
    session, policy = read_session(), requested_policy()
    if policy is not None:
        g.currency = session.opening.currency  # a refusal may name amounts
        session = preview_closing(session, policy)
    translator = request_translator()
    treasurer = requested_treasurer(session)
    view = {
        **settlement_view(session, treasurer, translator, g.names),
        **({"leftover_policy": policy} if policy else {}),
        **({"carried_to": session.carried_to} if session.carried_to else {}),
        "payments_due": sum(payment.status == "due" for payment in session.payments.values()),
    }
    return set_language(session_response(session, view), translator.language)


@blueprint.post("/<session>/transfers")
@requires("scorer", writes=True)
def record_transfer() -> Response:
    """Record what one player has paid another outside the game."""
    transfer = load_body(TransferSchema, g.body)
    transfer.pop("why", None)
    reply = append(
        lambda session: Decision(events=command_handlers.record_transfer(session, **transfer)),
        render_write_outcome,
    )
    return reply_response(reply)
