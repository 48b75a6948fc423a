"""The players' balances of a session, now or `?at=` a version or a moment."""

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.responses import json_response
from api.http.session_request import read_session
from api.representations.session import balances_view

blueprint = Blueprint("balances", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/balances")
@requires("viewer")
def show_balances() -> Response:
    """Return the settled money of every player."""
    session = read_session()
    return json_response(
        {"balances": balances_view(session), "version": session.version}, session.version
    )
