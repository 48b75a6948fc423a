"""Members who leave a group, what becomes of their balances, and members who return."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import event_store, group_store
from api.http.responses import json_response
from api.http.session_request import append_after_sessions, append_to_group
from api.representations.group import load_own_events
from api.representations.group_money.open_balances import open_balances_response
from api.schemas.group import DepartureSchema
from api.schemas.strict import load_body
from ledger.groups import departures
from ledger.groups.current_sessions import load_current_sessions
from ledger.groups.departures import Departure
from ledger.groups.group_event_log import load_group_events

blueprint = Blueprint("departures", __name__, url_prefix="/v1/groups")


@blueprint.post("/<group>/members/<member>/departure")
@requires("host", writes=True)
def leave(member: str) -> Response:
    """Record that a member leaves, and what becomes of the balances that are open."""
    departure = _read_departure(member)
    reply = append_after_sessions(
        lambda db, group, sessions: departures.decide_departure(
            group, sessions, load_group_events(db, group.id), departure
        )
    )
    return open_balances_response(reply)


@blueprint.post("/<group>/members/<member>/departure/preview")
@requires("host", has_body=True)
def preview(member: str) -> Response:
    """Return what leaving would record, and record nothing."""
    departure = _read_departure(member)
    group, sessions = load_current_sessions(group_store(), event_store(), g.group)
    events = departures.decide_departure(group, sessions, load_own_events(group.id), departure)
    return json_response({"events": events})


@blueprint.delete("/<group>/members/<member>/departure")
@requires("host", writes=True)
def return_member(member: str) -> Response:
    """Record that a member who left is back."""
    reply = append_to_group(lambda _, group: departures.decide_return(group, member))
    return open_balances_response(reply)


def _read_departure(member: str) -> Departure:
    return Departure(member=member, **load_body(DepartureSchema))
