"""A name that is to be forgotten: the host erases it, and a number takes its place everywhere."""

from flask import Blueprint, Response, g

from api import access
from api.preconditions import as_json, asked_beside
from api.problems import Problem
from api.sessions import answer, store
from api.state import name_of
from engine.errors import UnknownPlayer
from ledger import erasure

blueprint = Blueprint("names", __name__, url_prefix="/v1/sessions")


@blueprint.delete("/<session>/players/<player>/name")
@access.requires("host", writes=True)
def erase(player: str) -> Response:
    """Gone for good (contract.md §5). No event is written, so no version need be named."""
    instead = name_of(player, {})

    def render(version: int) -> bytes:
        return as_json({"id": player, "name": instead, "version": version})

    try:
        reply = erasure.erase(store().pool, g.session_id, player, asked_beside(), instead, render)
    except UnknownPlayer:
        raise Problem(404, "unknown_player", player=player) from None
    return answer(reply)
