"""Who is entering a deal at this moment, for the others who look at the session.

A client announces it anew every few seconds. Nothing is appended and the last announcement counts,
so it needs neither an idempotency key nor a version, and never waits for the session's lock.
"""

import re

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import event_store
from api.http.problems import InvalidFields
from api.http.responses import json_response
from api.i18n.field_errors import FieldError
from api.rate_limit.policy import HEARTBEATS, Policy
from api.representations.access import presence_view
from api.schemas.access import PresenceSchema
from api.schemas.strict import load_body
from ledger.access import presence
from ledger.access.stream_heads import read_heads

blueprint = Blueprint("presence", __name__, url_prefix="/v1/sessions")

PAGE = r"[A-Za-z0-9_-]{1,22}"


@blueprint.get("/<session>/presence")
@requires("viewer")
def list_presence() -> Response:
    """Return everyone who is entering a deal, the longest at it first."""
    head = read_heads(event_store().pool, [g.session_id])[g.session_id]
    return json_response(presence_view(head.presences))


@blueprint.put("/<session>/presence/<page>")
@Policy(write_quota=HEARTBEATS)
@requires("scorer", has_body=True)
def announce_presence(page: str) -> Response:
    """Announce for the next half minute that the requester is entering this deal."""
    deal = load_body(PresenceSchema)["deal"]
    presence.announce(event_store().pool, g.session_id, g.by, _page_id(page), deal)
    return Response(status=204)


@blueprint.delete("/<session>/presence/<page>")
@Policy(write_quota=HEARTBEATS)
@requires("scorer")
def withdraw_presence(page: str) -> Response:
    """Announce that the requester has sent the deal or given it up."""
    presence.withdraw(event_store().pool, g.session_id, g.by, _page_id(page))
    return Response(status=204)


def _page_id(page: str) -> str:
    """Return the id that tells a page from others with the same link. Raise InvalidFields."""
    if not re.fullmatch(PAGE, page):
        raise InvalidFields([{"pointer": "{page}", "detail": FieldError("page_id")}])
    return page
