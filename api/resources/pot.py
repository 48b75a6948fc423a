"""The pot of a session, now or `?at=` a version or a moment."""

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.responses import json_response
from api.http.session_request import read_session
from api.representations.session import pot_view

blueprint = Blueprint("pot", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/pot")
@requires("viewer")
def show_pot() -> Response:
    """Return what lies in the pot."""
    session = read_session()
    return json_response({"pot": pot_view(session), "version": session.version}, session.version)
