"""The links of a circle, shown and ended: whoever comes in by one that has ended is a stranger."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

import msgspec
from flask import Blueprint, Response, g, request

from api import access
from api.circles import book, given, shown
from api.links import links as links_to
from api.preconditions import as_json, asked
from api.problems import Problem, ShapeWrong
from api.sessions import secret
from ledger import circle_links
from ledger.circles import Circles, Generations, UnknownCircle

blueprint = Blueprint("circle_links", __name__, url_prefix="/v1/circles")


@blueprint.get("/<circle>/links")
@access.requires_of_circle("host")
def listed() -> Response:
    """Links that let others in to the circle, one per role, each also as a QR code."""
    return shown({"links": _links(g.circle.id, g.circle.generations)})


def or_heard_again(view: Callable[..., Response]) -> Callable[..., Response]:
    """Who has ended the link that he was in by, and has not heard the answer, asks once more."""

    @wraps(view)
    def heard(circle: str, link: str) -> Response:
        try:
            return view(circle=circle, link=link)
        except UnknownCircle:
            circle_id, right = access.ended_host(circle)
            if link not in access.ROLES:
                raise
            told = _told(Circles(book().pool, right), circle_id, link, in_evenings=False)
            g.role = "host"  # not before: a try that lets nobody in is counted as one
            return told

    return heard


@blueprint.delete("/<circle>/links/<link>")
@or_heard_again
@access.requires_of_circle("host", writes=True)
def end(link: str) -> Response:
    """The link of this role ends, and another one takes its place; the host's own as well."""
    if link not in access.ROLES:
        raise Problem(404, "not_found")
    return _told(book(), g.circle.id, link, in_evenings=_in_evenings())


def _told(rights: Circles, circle_id: UUID, link: str, *, in_evenings: bool) -> Response:
    place = access.ROLES.index(link)
    made, now = circle_links.end(
        rights, circle_id, place, asked(expected="any"), in_evenings=in_evenings
    )
    told = as_json({"role": link, "links": _links(circle_id, now)})  # tokens are never stored
    answer = given(msgspec.structs.replace(made, body=told))
    if link == "host" and "Authorization" not in request.headers:
        access.set_cookie(answer, circle_id, access.circle_tokens(secret(), circle_id, now)["host"])
    return answer


def _links(circle_id: UUID, generations: Generations) -> list[dict[str, object]]:
    return links_to("c", circle_id, access.circle_tokens(secret(), circle_id, generations))


def _in_evenings() -> bool:
    """Whether the same link of every evening ends as well. ShapeWrong."""
    wanted = request.args.get("evenings", "false")
    if wanted not in ("true", "false"):
        raise ShapeWrong([{"pointer": "?evenings", "detail": "Must be one of: true, false."}])
    return wanted == "true"
