"""Players of a session: correct or erase a name."""

from flask import Blueprint, Response, g
from marshmallow import ValidationError

from api.auth.access import requires
from api.http.app_state import event_store
from api.http.idempotency import metadata_request
from api.http.problems import register_refusal
from api.http.responses import encode_json, reply_response
from api.i18n.field_errors import FieldError
from api.representations.session import player_name
from api.schemas.session import PlayerSchema
from api.schemas.strict import load_body
from engine.errors import UnknownPlayer
from ledger.access import name_erasure, name_spelling
from ledger.access.name_spelling import MAX_SPELLINGS, NameErased, NameTaken, TooManySpellings

blueprint = Blueprint("players", __name__, url_prefix="/v1/sessions")
register_refusal(blueprint, UnknownPlayer, 404, "unknown_player", "player")
register_refusal(blueprint, NameErased, 409, "name_is_erased", "player")
register_refusal(blueprint, TooManySpellings, 409, "too_many_spellings", most=MAX_SPELLINGS)


@blueprint.delete("/<session>/players/<player>/name")
@requires("host", writes=True)
def erase_name(player: str) -> Response:
    """Erase the name for good. No event is written, so no version need be named."""
    replacement = player_name(player, {})

    def render(version: int) -> bytes:
        return encode_json({"id": player, "name": replacement, "version": version})

    reply = name_erasure.erase_player_name(
        event_store().pool, g.session_id, player, metadata_request(), replacement, render
    )
    return reply_response(reply)


@blueprint.put("/<session>/players/<player>/name")
@requires("host", writes=True)
def correct_name(player: str) -> Response:
    """Spell the name anew wherever it is shown; the earlier spelling stays on record. No event is
    written, so no version need be named."""
    name = load_body(PlayerSchema, g.body)["name"]

    def render(version: int) -> bytes:
        return encode_json({"id": player, "name": name, "version": version})

    try:
        reply = name_spelling.correct_name(
            event_store().pool, g.session_id, player, name, metadata_request(), render
        )
    except NameTaken:
        raise ValidationError({"name": [FieldError("was_called")]}) from None
    return reply_response(reply)
