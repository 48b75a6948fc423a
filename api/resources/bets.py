"""The outstanding bets of a session, now or `?at=` a version or a moment."""

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.responses import json_response
from api.http.session_request import read_session
from api.representations.session import bets_view

blueprint = Blueprint("bets", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/bets")
@requires("viewer")
def show_bets() -> Response:
    """Return the stack of bets, in the order they are played for."""
    session = read_session()
    return json_response({"bets": bets_view(session), "version": session.version}, session.version)
