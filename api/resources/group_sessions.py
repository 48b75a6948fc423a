"""Sessions of a group: open a new one, or add one that was opened on its own."""

from collections.abc import Callable
from uuid import UUID, uuid4

import msgspec
from flask import Blueprint, Response, g

from api.auth.access import requires
from api.auth.tokens import is_same_token, parse_id, session_tokens
from api.http.app_state import event_store, permitted_groups, session_metadata, token_secret
from api.http.idempotency import append_request
from api.http.problems import Problem, register_refusal
from api.http.responses import encode_json, group_reply_response, reply_response
from api.rate_limit.policy import CREATIONS, Policy
from api.representations.group import group_view, with_session_paths
from api.representations.session import session_view
from api.schemas.group import AddedSessionSchema, NewGroupSessionSchema
from api.schemas.strict import load_body
from engine.games.registry import GAMES
from engine.values import Player
from ledger.events.recorded_event import UnknownSession
from ledger.groups import groups, open_session
from ledger.groups.groups import Group, InAnotherGroup, Member, UnknownMember
from ledger.groups.stored_replies import GroupReply
from ledger.session.session_state import SessionState

blueprint = Blueprint("group_sessions", __name__, url_prefix="/v1/circles")
register_refusal(blueprint, UnknownMember, 404, "unknown_member", "member")
register_refusal(blueprint, InAnotherGroup, 409, "of_another_circle", "session")


@blueprint.post("/<circle>/evenings")
@Policy(address_quota=CREATIONS)
@requires("scorer", writes=True)
def open_group_session() -> Response:
    """Open a session of the group, with what the one before left open if asked to (`carry`)."""
    agreed = load_body(NewGroupSessionSchema, g.body)
    agreed["game"] = GAMES[agreed["game"]]
    agreed["seated"] = agreed.pop("members")
    new_session = open_session.NewSession(group_id=g.group.id, grant=g.grant, **agreed)
    g.currency = new_session.currency  # a refusal may name amounts
    request = append_request(expected="any")
    # a key of this group alone: another group may use the same one
    key = groups.session_creation_key(g.group.id, request.key)
    reply = open_session.open_session(
        event_store(),
        new_session,
        uuid4(),
        msgspec.structs.replace(request, key=key),
        lambda session, names: encode_json(session_view(session, new_session.title, names)),
    )
    return reply_response(reply, tokens=session_tokens(token_secret(), reply.session_id))


@blueprint.put("/<circle>/evenings/<session>")
@requires("scorer", writes=True)
def add_session(session: str) -> Response:
    """Add a session that was opened on its own, which takes the token of its host."""
    added = load_body(AddedSessionSchema, g.body)
    session_id, state = _read_as_host(session, added["token"])
    strangers = [player for player in added["members"] if player not in state.table.players]
    if strangers:
        raise Problem(404, "unknown_player", player=strangers[0])
    reply = _add(session_id, added["members"])
    group = permitted_groups().load(g.group.id)
    assert group is not None
    view = with_session_paths(msgspec.json.decode(reply.body), group, token_secret(), "viewer")
    return group_reply_response(msgspec.structs.replace(reply, body=encode_json(view)))


class _SessionsChanged(Exception):
    """Another session has come to the group since its sessions were read."""


def _add(session_id: UUID, members: dict[Player, Member]) -> GroupReply:
    """Add the session, rendering the group from sessions that were read before it is locked.

    The lock must not be held while waiting for another connection: if a session was added in
    between, all is read and tried again.
    """
    group = g.group
    while True:
        ids = [*(session.session_id for session in group.sessions), session_id]
        render = _renderer({id: event_store().load(id) for id in ids})
        request = append_request(expected="any")
        try:
            return permitted_groups().add_session(group.id, session_id, request, members, render)
        except _SessionsChanged:
            group = permitted_groups().load(group.id)


def _renderer(sessions: dict[UUID, SessionState]) -> Callable[[Group], bytes]:
    def render(group: Group) -> bytes:
        if any(session.session_id not in sessions for session in group.sessions):
            raise _SessionsChanged
        return encode_json(group_view(group, sessions.__getitem__))

    return render


def _read_as_host(session: str, token: str) -> tuple[UUID, SessionState]:
    """Return the session whose host's token this is. UnknownSession."""
    session_id = parse_id(session)
    metadata = session_metadata().load(session_id) if session_id else None
    if session_id is None or metadata is None:
        raise UnknownSession
    host_token = session_tokens(token_secret(), session_id, metadata.generations)["host"]
    if not is_same_token(host_token, token):
        raise UnknownSession
    return session_id, event_store().load(session_id)
