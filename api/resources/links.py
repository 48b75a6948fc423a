"""Links that give access to a session or a group: list them, replace one. In a path, `link` is the
role that the link gives."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from flask import Blueprint, Response, g, request

from api.auth import cookies
from api.auth.access import authenticate_replaced_host, requires
from api.auth.roles import ROLES
from api.auth.tokens import group_tokens, session_tokens
from api.http.app_state import group_store, permitted_groups, session_metadata, token_secret
from api.http.idempotency import append_request
from api.http.problems import Problem, register_refusal
from api.http.responses import content_tagged_response, json_response, reply_response
from api.http.session_request import change_metadata
from api.representations.share_links import share_links
from api.schemas.access import EmptySchema, GroupLinkRotationSchema
from api.schemas.strict import load_body
from ledger.access.session_metadata import (
    MAX_ROTATIONS,
    Generations,
    TooManyRotations,
    rotate_link,
)
from ledger.groups.groups import GroupStore, UnknownGroup
from ledger.groups.link_rotation import rotate_group_link

blueprint = Blueprint("links", __name__, url_prefix="/v1")
register_refusal(blueprint, TooManyRotations, 409, "too_many_rotations", most=MAX_ROTATIONS)


@blueprint.get("/sessions/<session>/links")
@requires("host")
def list_session_links() -> Response:
    """Return the links, one per role, and the group of the session if it has one."""
    tokens = session_tokens(token_secret(), g.session_id, g.metadata.generations)
    group_id = group_store().group_of_session(g.session_id)
    group = {"group": str(group_id)} if group_id else {}
    return json_response({"links": share_links("s", g.session_id, tokens), **group})


@blueprint.post("/sessions/<session>/links/<link>/rotation")
@requires("host", writes=True)
def rotate_session_link(link: str) -> Response:
    """Replace the link of a role and return all links. The old one ends; devices keep access."""
    if link not in ROLES:
        raise Problem(404, "not_found")
    load_body(EmptySchema)
    if link == "host" and g.by.startswith("host."):
        raise Problem(409, "own_link")  # a lost response would lock its owner out
    reply = change_metadata(lambda db: rotate_link(db, g.session_id, ROLES.index(link)))
    generations = session_metadata().load(g.session_id).generations
    tokens = session_tokens(token_secret(), g.session_id, generations)
    links = share_links("s", g.session_id, tokens)
    return reply_response(reply, {"role": link, "links": links}, "/links")


@blueprint.get("/groups/<group>/links")
@requires("host")
def list_group_links() -> Response:
    """Return the links, one per role, each also as a QR code."""
    return content_tagged_response({"links": _group_links(g.group.id, g.group.generations)})


def accepts_ended_host_link(view: Callable[..., Response]) -> Callable[..., Response]:
    """Let a host who ended their own link and lost the response ask again with the ended one."""

    @wraps(view)
    def rotate_or_replay(group: str, link: str) -> Response:
        try:
            return view(group=group, link=link)
        except UnknownGroup:
            group_id, grant = authenticate_replaced_host(group)
            if link not in ROLES:
                raise
            groups = GroupStore(group_store().pool, grant)
            replayed = _rotate_group_link(groups, group_id, link, in_sessions=False)
            g.role = "host"  # set last: without a role the rate limiter counts a failed try
            return replayed

    return rotate_or_replay


@blueprint.post("/groups/<group>/links/<link>/rotation")
@accepts_ended_host_link
@requires("host", writes=True)
def rotate_group_role_link(link: str) -> Response:
    """Replace the link of a role, the host's own included, and return all.

    With `sessions` the same link of every session of the group is replaced as well.
    """
    if link not in ROLES:
        raise Problem(404, "not_found")
    in_sessions = load_body(GroupLinkRotationSchema)["sessions"]
    return _rotate_group_link(permitted_groups(), g.group.id, link, in_sessions=in_sessions)


def _rotate_group_link(
    groups: GroupStore, group_id: UUID, link: str, *, in_sessions: bool
) -> Response:
    write_request = append_request("any")
    reply, generations = rotate_group_link(
        groups, group_id, ROLES.index(link), write_request, in_sessions=in_sessions
    )
    view = {"role": link, "links": _group_links(group_id, generations)}
    rotated = reply_response(reply, view, "/links")
    if link == "host" and "Authorization" not in request.headers:
        tokens = group_tokens(token_secret(), group_id, generations)
        cookies.set_token(rotated, group_id, tokens["host"])
    return rotated


def _group_links(group_id: UUID, generations: Generations) -> list[dict[str, object]]:
    tokens = group_tokens(token_secret(), group_id, generations)
    return share_links("c", group_id, tokens)
