"""Groups of people who meet again: members, sessions and a season."""

from uuid import uuid4

import msgspec
from flask import Blueprint, Response, g, request

from api.auth import cookies
from api.auth.access import requires
from api.auth.tokens import group_tokens
from api.http.app_state import event_store, group_store, permitted_groups, token_secret
from api.http.idempotency import append_request, creation_request, read_write_request
from api.http.query_parameters import read_period
from api.http.responses import content_tagged_response, reply_response
from api.rate_limit.policy import CREATIONS, Policy
from api.representations.group import (
    group_response,
    group_view,
    head_to_head_view,
    member_name,
    member_view,
    season_view,
)
from api.representations.session import player_name
from api.schemas.group import NewGroupSchema
from api.schemas.session import PlayerSchema, refuse_taken_name
from api.schemas.strict import load_body
from ledger.groups.attendance import check_members
from ledger.groups.member_name_erasure import erase_member_name

blueprint = Blueprint("groups", __name__, url_prefix="/v1/groups")


@blueprint.post("")
@Policy(address_quota=CREATIONS)
def create_group() -> Response:
    """Start a group. Needs no token, and returns one per role."""
    read_write_request(creates=True)
    agreed = load_body(NewGroupSchema)
    names = [member["name"] for member in agreed["members"]]
    reply = permitted_groups().create(creation_request(), uuid4(), agreed["name"], names)
    return group_response(reply, tokens=group_tokens(token_secret(), reply.group_id))


@blueprint.get("/<group>")
@requires("viewer")
def show_group() -> Response:
    """Return its members, its sessions, and what the next session could go on with."""
    return content_tagged_response(group_view(g.group, event_store().load, g.role))


@blueprint.post("/<group>/members")
@requires("scorer", writes=True)
def add_member() -> Response:
    """Add a member to the group."""
    name = load_body(PlayerSchema)["name"]
    with refuse_taken_name("members"):
        reply = permitted_groups().add_member(g.group.id, append_request("any"), name)
    newest = f"m{reply.moment.members}"
    group = group_store().load(reply.group_id)  # a replayed name may be erased since
    view = {"id": newest, "name": member_name(newest, group)}
    return reply_response(reply, view, f"/members/{newest}")


@blueprint.get("/<group>/members/<member>")
@requires("viewer")
def show_member(member: str) -> Response:
    """Return one member."""
    check_members(g.group, member)
    return content_tagged_response(member_view(member, g.group))


@blueprint.delete("/<group>/members/<member>/name")
@requires("host", writes=True)
def erase_name(member: str) -> Response:
    """Erase the name for good, from the group and from all its sessions."""
    check_members(g.group, member)
    replacement = member_name(member, msgspec.structs.replace(g.group, members={}))
    reply = erase_member_name(
        permitted_groups(),
        g.group,
        member,
        append_request("any"),
        replacement,
        lambda player: player_name(player, {}),
    )
    return reply_response(reply, {"id": member, "name": replacement})


@blueprint.get("/<group>/standings")
@requires("viewer")
def show_standings() -> Response:
    """Return the season of every member (`?from=`, `?to=`, `?tz=`)."""
    return content_tagged_response(season_view(g.group, read_period(request.args)))


@blueprint.get("/<group>/head-to-head")
@requires("viewer")
def show_head_to_head() -> Response:
    """Return who beats whom in the season (`?from=`, `?to=`, `?tz=`)."""
    return content_tagged_response(head_to_head_view(g.group, read_period(request.args)))


@blueprint.put("/<group>/cookie")
@requires("viewer")
def store_token_in_cookie() -> Response:
    """Exchange the bearer token for a cookie that scripts cannot read: for the phone form."""
    tokens = group_tokens(token_secret(), g.group.id, g.group.generations)
    return cookies.set_token(Response(status=204), g.group.id, tokens[g.role])
