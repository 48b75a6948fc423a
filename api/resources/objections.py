"""Objections: the players who say that the sums of a version are not right.

The same request again changes nothing, so it needs neither an idempotency key nor a version, and
never waits for the session's lock.
"""

from typing import Any

from flask import Blueprint, Response, g
from msgspec.structs import asdict

from api.auth.access import requires
from api.http.app_state import event_store
from api.http.problems import register_refusal
from api.http.responses import json_response
from api.schemas.access import ObjectionSchema
from api.schemas.strict import load_body
from engine.errors import NoSuchPlayer
from ledger.access.objections import Objection, list_objections, object_to_sums
from ledger.events.timestamps import format_timestamp

blueprint = Blueprint("objections", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, NoSuchPlayer, 404, "unknown_player", "player")


@blueprint.get("/<session>/objections")
@requires("viewer")
def get_objections() -> Response:
    """Return the objections of the session, the earliest first."""
    listed = list_objections(event_store().pool, g.session_id)
    return json_response({"objections": [_view(objection) for objection in listed]})


@blueprint.put("/<session>/objections/<player>")
@requires("viewer", has_body=True)
def put_objection(player: str) -> Response:
    """Note that this player objects to the sums of a version."""
    version = load_body(ObjectionSchema)["version"]
    if player not in g.names:
        raise NoSuchPlayer(player=player)
    return json_response(_view(object_to_sums(event_store().pool, g.session_id, player, version)))


def _view(objection: Objection) -> dict[str, Any]:
    return {**asdict(objection), "at": format_timestamp(objection.at)}
