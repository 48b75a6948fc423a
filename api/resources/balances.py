"""The balances, the pot and the bets of a session, now or `?at=` a version or a moment."""

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.responses import session_response
from api.http.session_request import read_session
from api.representations.session import balances_view, bets_view, pot_view

blueprint = Blueprint("balances", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/balances")
@requires("viewer")
def show_balances() -> Response:
    """Return the settled money of every player."""
    session = read_session()
    return session_response(session, {"balances": balances_view(session)})


@blueprint.get("/<session>/pot")
@requires("viewer")
def show_pot() -> Response:
    """Return what lies in the pot."""
    session = read_session()
    return session_response(session, {"pot": pot_view(session)})


@blueprint.get("/<session>/bets")
@requires("viewer")
def show_bets() -> Response:
    """Return the stack of bets, in the order they are played for."""
    session = read_session()
    return session_response(session, {"bets": bets_view(session)})
