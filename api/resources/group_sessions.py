"""Sessions of a group: open a new one, or add one that was opened on its own."""

from typing import Any
from uuid import UUID

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.auth.tokens import is_same_token, parse_id, session_tokens
from api.http.app_state import event_store, permitted_groups, session_metadata, token_secret
from api.http.idempotency import append_request
from api.http.problems import Problem, register_refusal
from api.rate_limit.policy import CREATIONS, Policy
from api.representations.group import group_response
from api.representations.session import creation_response
from api.schemas.group import AddedSessionSchema, NewGroupSessionSchema
from api.schemas.strict import load_body
from engine.games.registry import GAMES
from ledger.events.recorded_event import UnknownSession
from ledger.groups import groups, open_session
from ledger.groups.groups import InAnotherGroup
from ledger.groups.stored_replies import GroupReply, read_reply
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest
from ledger.store.session_ids import new_session_id

blueprint = Blueprint("group_sessions", __name__, url_prefix="/v1/groups")
register_refusal(blueprint, InAnotherGroup, 409, "in_another_group", "session")


@blueprint.post("/<group>/sessions")
@Policy(address_quota=CREATIONS)
@requires("scorer", writes=True)
def open_group_session() -> Response:
    """Open a session of the group, with what the one before left open if asked to (`carry`)."""
    agreed = load_body(NewGroupSessionSchema)
    agreed["game"] = GAMES[agreed["game"]]
    agreed["seated"] = agreed.pop("members")
    new_session = open_session.NewSession(group_id=g.group.id, grant=g.grant, **agreed)
    g.currency = new_session.currency  # a refusal may name amounts
    # a key of this group alone: another group may use the same one
    creation_key = groups.session_creation_key(g.group.id, g.key)
    # whoever opens the session becomes its host
    request = append_request("any", creation_key, by="host.0")
    reply = open_session.open_session(event_store(), new_session, new_session_id(), request)
    return creation_response(reply, session_tokens(token_secret(), reply.session_id))


@blueprint.put("/<group>/sessions/<session>")
@requires("scorer", writes=True)
def add_session(session: str) -> Response:
    """Add a session that was opened on its own, which takes the token of its host."""
    added, request = load_body(AddedSessionSchema), append_request("any")
    with event_store().pool.connection() as db:
        # before the token is checked: it may have been replaced since
        reply = read_reply(db, g.group.id, request)
    return group_response(reply or _add_session(session, added, request))


def _add_session(session: str, added: dict[str, Any], request: AppendRequest) -> GroupReply:
    session_id, state = _read_as_host(session, added["token"])
    strangers = [player for player in added["members"] if player not in state.table.players]
    if strangers:
        raise Problem(404, "unknown_player", player=strangers[0])
    return permitted_groups().add_session(g.group.id, session_id, request, added["members"])


def _read_as_host(session: str, token: str) -> tuple[UUID, SessionState]:
    """Return the session whose host's token this is. Raise UnknownSession."""
    session_id = parse_id(session)
    if session_id is None:
        raise UnknownSession
    generations = session_metadata().load(session_id).generations
    host_token = session_tokens(token_secret(), session_id, generations)["host"]
    if not is_same_token(host_token, token):
        raise UnknownSession
    return session_id, event_store().load(session_id)
