"""Sessions: open one, read it and its events, add a player, close and reopen it."""

from flask import Blueprint, Response, g, request

from api.auth import cookies
from api.auth.access import requires
from api.auth.tokens import session_tokens
from api.http import pagination
from api.http.app_state import event_store, token_secret
from api.http.conditional import apply_preconditions
from api.http.idempotency import creation_request, read_write_request
from api.http.responses import REVALIDATE, json_response
from api.http.session_request import append, read_session
from api.rate_limit.policy import CREATIONS, Policy
from api.representations.session import append_response, creation_response, event_view, session_view
from api.schemas.session import ClosureSchema, NewSessionSchema, PlayerSchema, refuse_taken_name
from api.schemas.strict import load_body
from engine.events import PLAYER_IDS
from engine.games.registry import GAMES
from ledger.access.name_spelling import check_name_is_free
from ledger.groups.attendance import enroll_newcomer
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision, PlayerName
from ledger.store.connection_pool import Connection
from ledger.store.session_ids import new_session_id

blueprint = Blueprint("sessions", __name__, url_prefix="/v1/sessions")


@blueprint.post("")
@Policy(address_quota=CREATIONS)
def open_session() -> Response:
    """Open a session. Needs no token, and returns one per role."""
    read_write_request(creates=True)
    agreed = load_body(NewSessionSchema)
    players = zip(PLAYER_IDS, agreed["players"], strict=False)  # there are more ids than players
    names = [PlayerName.new(player_id, player["name"]) for player_id, player in players]
    opened = command_handlers.open_session(
        GAMES[agreed["game"]],
        agreed["options"],
        currency=agreed["currency"],
        players=tuple(name.player for name in names),
        names=tuple(name.commitment for name in names),
        first_dealer=agreed["first_dealer"],
    )
    decision = Decision(events=(opened,), names=tuple(names))
    reply = event_store().create(creation_request(), new_session_id(), agreed["title"], decision)
    return creation_response(reply, session_tokens(token_secret(), reply.session_id))


@blueprint.get("/<session>")
@requires("viewer")
def show_session() -> Response:
    """Return the session as it stands, or as it stood `?at=` a version or a moment."""
    # an erased or respelled name changes the representation without a new version
    names_unchanged = None not in g.names.values() and not g.metadata.has_corrected_names
    if names_unchanged and "at" not in request.args:
        # the version was read together with the token: no event is folded
        headers = {"ETag": f'"{g.metadata.version}"', "Cache-Control": REVALIDATE}
        unchanged = apply_preconditions(Response(headers=headers))
        if unchanged.status_code == 304:
            return unchanged
    session = read_session()
    view = session_view(session, g.metadata.title, g.metadata.names)
    response = json_response(view, session.version)
    return apply_preconditions(response) if names_unchanged else response


@blueprint.get("/<session>/events")
@requires("viewer")
def list_events() -> Response:
    """Return a page of the events in order, from `?after=` a version or an earlier page."""
    after = pagination.read_cursor("events")
    limit = pagination.read_limit()
    events = event_store().load_events(g.session_id, after, limit)
    is_full = len(events) == limit
    following = pagination.next_cursor("events", events[-1].version) if is_full else None
    return json_response({"events": [event_view(event) for event in events], "next": following})


@blueprint.post("/<session>/players")
@requires("scorer", writes=True)
def add_player() -> Response:
    """Add a player, who gets an id, and a seat at the next reseat."""
    name = load_body(PlayerSchema)["name"]

    def decide(session: SessionState) -> Decision:
        player = command_handlers.next_player_id(session)
        new_name = PlayerName.new(player, name)

        def enroll(db: Connection) -> None:
            check_name_is_free(db, session.id, player, name)
            enroll_newcomer(db, session.id, player, name)

        return Decision(
            events=command_handlers.join_player(player, new_name.commitment),
            names=(new_name,),
            in_transaction=enroll,
        )

    with refuse_taken_name("players"):
        result = append(decide)
    return append_response(result, id=result.session.table.players[-1])


@blueprint.post("/<session>/closure")
@requires("host", writes=True)
def close_session() -> Response:
    """Close the session; what is left in pot and bets goes by a policy (docs/rules.md §5)."""
    leftover_policy = load_body(ClosureSchema)["leftover_policy"]
    result = append(
        lambda session: Decision(events=command_handlers.close_session(session, leftover_policy))
    )
    return append_response(result)


@blueprint.delete("/<session>/closure")
@requires("host", writes=True)
def reopen_session() -> Response:
    """Take the closing back, as long as nothing has been paid since."""
    result = append(lambda session: Decision(events=command_handlers.reopen_session(session)))
    return append_response(result)


@blueprint.put("/<session>/cookie")
@requires("viewer")
def store_token_in_cookie() -> Response:
    """Exchange the bearer token for a cookie that scripts cannot read: for the phone form."""
    return cookies.set_token(Response(status=204), g.session_id, g.token)
