"""Players of a session: correct or erase a name."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import session_metadata
from api.http.problems import register_refusal
from api.http.responses import reply_response
from api.http.session_request import change_metadata
from api.representations.session import player_name
from api.schemas.session import PlayerSchema, refuse_taken_name
from api.schemas.strict import load_body
from engine.errors import NoSuchPlayer
from ledger.access import name_erasure, name_spelling

blueprint = Blueprint("players", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, NoSuchPlayer, 404, "unknown_player", "player")


@blueprint.delete("/<session>/players/<player>/name")
@requires("host", writes=True)
def erase_name(player: str) -> Response:
    """Erase the name for good. No event is written, so no version need be named."""
    replacement = player_name(player, {})
    reply = change_metadata(
        lambda db: name_erasure.erase_player_name(db, g.session_id, player, replacement)
    )
    return reply_response(reply, {"id": player, "name": replacement, "version": reply.version})


@blueprint.put("/<session>/players/<player>/name")
@requires("host", writes=True)
def correct_name(player: str) -> Response:
    """Correct the name wherever it is shown; the earlier spelling stays on record. No event is
    written, so no version need be named."""
    name = load_body(PlayerSchema)["name"]
    with refuse_taken_name("players"):
        reply = change_metadata(
            lambda db: name_spelling.correct_name(db, g.session_id, player, name, g.by)
        )
    metadata = session_metadata().load(g.session_id)  # a replayed name may be erased since
    shown_name = player_name(player, metadata.names)
    return reply_response(reply, {"id": player, "name": shown_name, "version": reply.version})
