"""People who meet again: a circle with members, evenings and a season.

The evenings are evenings as any other; a right to the circle is shown the way into each of them.
"""

import hmac
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
from flask import Blueprint, Response, current_app, g
from marshmallow import ValidationError

from api import access
from api.circles.shapes import AddedSchema, CircleSchema, GatheringSchema, MemberSchema
from api.circles.standings import period, season_view
from api.circles.view import called, circle_view, with_ways_in
from api.preconditions import as_json, asked, conditional, opening, read_write
from api.problems import Problem
from api.sessions import answer, load, secret, store
from api.state import name_of, state
from engine.games import GAMES
from engine.values import Player
from ledger import circles, erasure, gathering
from ledger.cards import Cards
from ledger.circle_replies import Answered
from ledger.circles import Circle, Circles, Member, OfAnotherCircle, UnknownMember
from ledger.gathering import Gathering
from ledger.names import sounds_alike
from ledger.session import Session
from ledger.writing import Request, UnknownSession

blueprint = Blueprint("circles", __name__, url_prefix="/v1/circles")


@blueprint.post("")
def found() -> Response:
    """Found a circle; needs no token, and gives one per role."""
    read_write()
    wanted = load(CircleSchema, g.body)
    made = book().create(
        opening(),
        uuid4(),
        wanted["name"],
        [member["name"] for member in wanted["members"]],
        lambda circle: as_json(circle_view(circle, store().read)),
    )
    rights = as_json(access.circle_tokens(secret(), made.circle_id))
    # tokens are never stored: they are made again, and put behind the stored bytes
    return given(msgspec.structs.replace(made, body=made.body[:-1] + b',"tokens":' + rights + b"}"))


@blueprint.get("/<circle>")
@access.requires_of_circle("viewer")
def look() -> Response:
    """Its members, its evenings, and what the next one could go on with."""
    return shown(with_ways_in(circle_view(g.circle, store().read), g.circle, secret(), g.role))


@blueprint.post("/<circle>/members")
@access.requires_of_circle("scorer", writes=True)
def join() -> Response:
    """Somebody new is of the circle."""
    name = load(MemberSchema, g.body)["name"]

    def render(circle: Circle) -> bytes:
        newest = list(circle.members)[-1]
        return as_json({"id": newest, "name": called(newest, circle)})

    try:
        return given(book().join(g.circle.id, asked(expected="any"), name, render))
    except circles.TooManyMembers:
        raise Problem(409, "too_many_members", most=circles.MOST_MEMBERS) from None
    except psycopg.errors.UniqueViolation as taken:
        if not sounds_alike(taken):
            raise
        raise ValidationError({"name": ["Two members cannot have the same name."]}) from None


@blueprint.delete("/<circle>/members/<member>/name")
@access.requires_of_circle("host", writes=True)
def forget(member: str) -> Response:
    """Gone for good, from the circle and from all its evenings."""
    if member not in g.circle.members:
        raise Problem(404, "unknown_member", member=member)
    instead = called(member, msgspec.structs.replace(g.circle, members={}))

    def render(circle: Circle) -> bytes:
        return as_json({"id": member, "name": called(member, circle)})

    return given(
        erasure.erase_member(
            book(),
            g.circle,
            member,
            asked(expected="any"),
            (instead, lambda player: name_of(player, {})),
            render,
        )
    )


@blueprint.post("/<circle>/evenings")
@access.requires_of_circle("scorer", writes=True)
def gather() -> Response:
    """Open an evening of the circle, with what the one before left open if asked to (`carry`)."""
    wanted = load(GatheringSchema, g.body)
    wanted["game"] = GAMES[wanted["game"]]
    wanted["seated"] = wanted.pop("members")
    tonight = Gathering(circle_id=g.circle.id, right=g.right, **wanted)
    g.currency = tonight.currency
    under_its_key = in_circle(asked(expected="any"))
    try:
        reply = gathering.gather(
            store(),
            tonight,
            uuid4(),
            under_its_key,
            lambda session, names: as_json(state(session, tonight.title, names)),
        )
    except UnknownMember as unknown:
        raise Problem(404, "unknown_member", member=unknown.member) from None
    rights = as_json(access.tokens(secret(), reply.session_id))
    return answer(
        msgspec.structs.replace(reply, body=reply.body[:-1] + b',"tokens":' + rights + b"}")
    )


@blueprint.put("/<circle>/evenings/<session>")
@access.requires_of_circle("scorer", writes=True)
def add(session: str) -> Response:
    """An evening that was opened by itself is of the circle; only its host can say so."""
    wanted = load(AddedSchema, g.body)
    session_id, played = _hosted(session, wanted["token"])
    strangers = [p for p in wanted["members"] if p not in played.table.players]
    if strangers:
        raise Problem(404, "unknown_player", player=strangers[0])
    try:
        made = _add(session_id, wanted["members"])
    except UnknownMember as unknown:
        raise Problem(404, "unknown_member", member=unknown.member) from None
    except OfAnotherCircle:
        raise Problem(409, "of_another_circle", session=session) from None
    circle = book().circle(g.circle.id)
    assert circle is not None
    told = with_ways_in(msgspec.json.decode(made.body), circle, secret(), "viewer")
    return given(msgspec.structs.replace(made, body=as_json(told)))


def _add(session_id: UUID, members: dict[Player, Member]) -> Answered:
    """The evenings that the answer tells of are read before the circle is locked, and once more if
    others came in between: who holds a lock must not wait for a connection as well."""
    circle = g.circle
    while True:
        known = {e.session_id: store().read(e.session_id) for e in circle.evenings}
        known[session_id] = store().read(session_id)

        def render(now: Circle, known: dict[UUID, Session] = known) -> bytes:
            if any(evening.session_id not in known for evening in now.evenings):
                raise _CameBetween
            return as_json(circle_view(now, known.__getitem__))

        try:
            return book().add(circle.id, session_id, asked(expected="any"), members, render)
        except _CameBetween:
            circle = book().circle(circle.id)


class _CameBetween(Exception):
    """Another evening has come to the circle since it was read."""


def _hosted(session: str, token: str) -> tuple[UUID, Session]:
    """The evening that this token is the host's of. UnknownSession."""
    session_id = access.address(session)
    card = cards().card(session_id) if session_id else None
    if session_id is None or card is None:
        raise UnknownSession
    right = access.tokens(secret(), session_id, card)["host"]
    if not hmac.compare_digest(right.encode(), token.encode()):
        raise UnknownSession
    return session_id, store().read(session_id)


@blueprint.get("/<circle>/standings")
@access.requires_of_circle("viewer")
def standings() -> Response:
    """How it has gone for everybody over the season (`?from=`, `?to=`, `?tz=`)."""
    return shown(season_view(g.circle, store(), *period()))


@blueprint.put("/<circle>/cookie")
@access.requires_of_circle("viewer")
def cookie() -> Response:
    """Exchange the bearer token for a cookie that scripts cannot read: for the phone form."""
    right = access.circle_tokens(secret(), g.circle.id, g.circle.generations)[g.role]
    return access.set_cookie(Response(status=204), g.circle.id, right)


def in_circle(asked_for: Request) -> Request:
    """Its key is the circle's own: another circle may use the same one, and nobody else may."""
    return msgspec.structs.replace(asked_for, key=circles.own_key(g.circle.id, asked_for.key))


def book() -> Circles:
    """For whoever asks: what he writes is written if his right still holds when it is his turn."""
    found: Circles = current_app.extensions["circles"]
    return Circles(found.pool, g.get("right"))


def cards() -> Cards:
    found: Cards = current_app.extensions["cards"]
    return found


def given(made: Answered) -> Response:
    response = Response(made.body, made.status, content_type="application/json")
    response.headers["Location"] = f"/v1/circles/{made.circle_id}"
    response.headers["Cache-Control"] = "private, no-cache"
    if made.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response


def shown(what: Any) -> Response:
    """With an ETag by what it says: a circle has no version of its own."""
    response = Response(as_json(what), content_type="application/json")
    response.headers["Cache-Control"] = "private, no-cache"
    response.set_etag(sha256(response.data).hexdigest()[:16])
    return conditional(response)
