"""Statements of a circle to read, to keep and to print: in every format that an evening's has."""

from hashlib import sha256

from flask import Blueprint, Response, g, request

from api import access, words
from api.circles.adding_up import AddingUp
from api.circles.of_circle import OfCircle
from api.circles.played import for_money
from api.problems import Problem
from api.sessions import store, tagged
from api.statements import sent
from api.statements.asked import chosen, one_of

blueprint = Blueprint("circle_statements", __name__, url_prefix="/v1/circles")


@blueprint.get("/<circle>/statement")
@access.requires_of_circle("viewer")
def show() -> Response:
    """The statement of a member (`?member=`) or of the circle, over the evenings of a period."""
    member = request.args.get("member")
    if member is not None and member not in g.circle.members:
        raise Problem(404, "unknown_member", member=member)
    asked = chosen(member, "money")
    played = for_money(g.circle, store(), asked.end)
    known = list(dict.fromkeys(one.currency for one in reversed(played))) or ["SEK"]
    currency = one_of("currency", known, known[0])
    adding = AddingUp(g.circle, asked, store().pool, words.speaker().language)
    told = adding.told([one for one in played if one.currency == currency], currency)
    made = tagged(sent(told), None)
    made.set_etag(_tag(told))
    return made


def _tag(told: OfCircle) -> str:
    """A circle has no version of its own: by what it is of, and how it is told."""
    said = (
        (told.what, told.speak.language, told.asked.format, request.query_string, told.verify),
        tuple(told.people.items()),
        tuple((evening.seal, evening.title, evening.carried_to) for evening in told.evenings),
    )
    return sha256(repr(said).encode()).hexdigest()[:16]
