"""Evenings: open one, look at it, let people join, and close it (contract.md §2 and §5)."""

import os
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
from babel.numbers import list_currencies
from flask import Blueprint, Response, current_app, g, request
from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from api import access, as_of, cursors, shapes
from api.links import links as links_to
from api.preconditions import as_json, asked, number, opening, read_write
from api.problems import Problem
from api.shapes import Exactly, Strict
from api.state import Names, event, receipt, state
from engine.games import GAMES
from ledger import chain, handling
from ledger.cards import Card, Cards
from ledger.circles import Circles
from ledger.envelope import Recorded
from ledger.names import sounds, sounds_alike, visible
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Expected, Name, Reply, UnknownSession, Work

blueprint = Blueprint("sessions", __name__, url_prefix="/v1/sessions")

PlayerId = validate.Regexp(r"p[1-9][0-9]{0,2}\Z")
MOST_CHARACTERS = 40


class Label(fields.String):
    """A name or a title: what people read, and nothing that could steer what they read."""

    def __init__(self, *, most: int = MOST_CHARACTERS, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most = most

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        sent = super()._deserialize(value, *args, **kwargs)
        text = unicodedata.normalize("NFC", sent).strip()
        if not text or max(len(sent), len(text)) > self.most:  # a sign can become three
            raise ValidationError(f"Between 1 and {self.most} characters.")
        for sign in text:
            if unicodedata.category(sign) in ("Cc", "Cs", "Co", "Zl", "Zp") or (
                unicodedata.category(sign) == "Cf" and sign != "\u200d"
            ):
                raise ValidationError("Control characters are not allowed.")
        if not visible(text):
            raise ValidationError("Nothing of this can be seen.")
        return text


class PlayerSchema(Strict):
    name = Label(required=True)


class SessionSchema(Strict):
    game = Exactly(tuple(GAMES), required=True)
    players = fields.List(
        fields.Nested(PlayerSchema),
        required=True,
        validate=validate.Length(1, handling.MOST_PLAYERS),
    )
    options = fields.Dict(load_default=dict)
    currency = fields.String(load_default="SEK")
    first_dealer = fields.String(load_default="p1", validate=PlayerId)
    title = Label(load_default=None, allow_none=True)

    @validates_schema(skip_on_field_errors=True)
    def _fits(self, data: dict[str, Any], **_: Any) -> None:
        game = GAMES[data["game"]]
        wrong: dict[str, Any] = {}
        try:
            shapes.load(game.options, data["options"])
        except ValidationError as error:
            wrong["options"] = error.messages
        if data["currency"] != "chips" and data["currency"] not in list_currencies():
            wrong["currency"] = ["An ISO 4217 code, or chips."]
        if len(data["players"]) not in game.seats:
            least, most = game.seats[0], game.seats[-1]
            some = f"Between {least} and {most} players."
            wrong["players"] = [some if least < most else f"Exactly {least} players."]
        if data["first_dealer"] not in ids(len(data["players"])):
            wrong["first_dealer"] = ["One of the players."]
        names = [sounds(player["name"]) for player in data["players"]]
        for place, name in enumerate(names):
            if name in names[:place]:
                wrong.setdefault("players", {})
                if isinstance(wrong["players"], dict):
                    wrong["players"][place] = {"name": ["Two players cannot have the same name."]}
        if wrong:
            raise ValidationError(wrong)

    @post_load
    def _options(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        data["options"] = shapes.load(GAMES[data["game"]].options, data["options"])
        return data


class ClosureSchema(Strict):
    leftover_policy = Exactly(
        ("carry", "refund_bets", "split_equal", "play_on"), load_default=None, allow_none=True
    )


def ids(count: int) -> list[str]:
    return [f"p{place}" for place in range(1, count + 1)]


@blueprint.post("")
def open_session() -> Response:
    """Open an evening; needs no token, and gives one per role."""
    read_write()
    wanted = load(SessionSchema, g.body)
    players = ids(len(wanted["players"]))
    names = [
        Name(player=player, name=given["name"], salt=os.urandom(16))
        for player, given in zip(players, wanted["players"], strict=True)
    ]
    opened = handling.opening(
        GAMES[wanted["game"]],
        wanted["options"],
        currency=wanted["currency"],
        players=tuple(players),
        names=tuple(name.commitment for name in names),
        first_dealer=wanted["first_dealer"],
    )
    title = wanted["title"]
    shown: Names = {name.player: name.name for name in names}
    reply = store().create(
        opening(),
        uuid4(),
        title,
        Work(events=(opened,), names=tuple(names)),
        lambda session, _: as_json(state(session, title, shown)),
    )
    rights = as_json(access.tokens(secret(), reply.session_id))
    # tokens are never stored: they are made again, and put behind the stored bytes
    return answer(
        msgspec.structs.replace(reply, body=reply.body[:-1] + b',"tokens":' + rights + b"}")
    )


@blueprint.get("/<session>")
@access.requires("viewer")
def look() -> Response:
    """The evening as it stands, or as it stood `?at=` a version or a moment."""
    whole = None not in g.names.values()  # an erased name is news that has no version
    known = request.if_none_match.to_header()
    now = f'"{g.card.version}"'  # read together with the right to ask: nothing is folded
    if whole and "at" not in request.args and (now in known or known == "*"):
        return tagged(Response(status=304), g.card.version)
    session = read()
    return shown(state(session, g.card.title, g.card.names), session.version)


@blueprint.get("/<session>/events")
@access.requires("viewer")
def events() -> Response:
    """Every event exactly once, ascending, from behind a version or where a page ended."""
    after = cursors.after("events")
    limit = number("limit", 100, 1, 1000)
    found = store().events(g.session_id, after, limit)
    full = len(found) == limit
    following = cursors.following("events", found[-1].version) if full else None
    return shown({"events": [event(recorded) for recorded in found], "next": following})


@blueprint.post("/<session>/players")
@access.requires("scorer", writes=True)
def join() -> Response:
    """Somebody new gets an id; he sits after a reseat."""
    name, salt = load(PlayerSchema, g.body)["name"], os.urandom(16)
    commitment = chain.commitment(salt, name)

    def work(session: Session) -> Work:
        player = handling.next_player(session)
        return Work(
            events=handling.joined(player, commitment),
            names=(Name(player=player, name=name, salt=salt),),
        )

    def render(session: Session, recorded: tuple[Recorded, ...]) -> bytes:
        player = session.table.players[-1]
        return as_json({"id": player, **outcome(session, recorded, {player: name})})

    try:
        return answer(store().write(g.session_id, asked(), work, render, _called))
    except psycopg.errors.UniqueViolation as taken:
        if not sounds_alike(taken):
            raise
        raise ValidationError({"name": ["Two players cannot have the same name."]}) from None


@blueprint.post("/<session>/closure")
@access.requires("host", writes=True)
def close() -> Response:
    """The evening ends; what is left goes by a policy (rules.md §5)."""
    policy = load(ClosureSchema, g.body)["leftover_policy"]
    return write(lambda session: Work(events=handling.closure(session, policy)))


@blueprint.put("/<session>/cookie")
@access.requires("viewer")
def cookie() -> Response:
    """Exchange the bearer token for a cookie that scripts cannot read: for the phone form."""
    return access.set_cookie(Response(status=204), g.session_id, g.token)


@blueprint.get("/<session>/links")
@access.requires("host")
def links() -> Response:
    """Links that let others in, one per role, each also as a QR code; and whose circle it is of."""
    rights = access.tokens(secret(), g.session_id, g.card)
    circles: Circles = current_app.extensions["circles"]
    circle = circles.of_evening(g.session_id)
    of = {"circle": str(circle)} if circle else {}
    return shown({"links": links_to("s", g.session_id, rights), **of})


def store() -> Store:
    found: Store = current_app.extensions["store"]
    return found


def secret() -> bytes:
    found: bytes = current_app.extensions["cards"].secret
    return found


def read() -> Session:
    """The session of this request, `?at=` as it stood. A version that it never had is 404."""
    try:
        return store().read(g.session_id, as_of.wanted(store()))
    except UnknownSession:
        raise Problem(404, "unknown_version", version=request.args.get("at")) from None


def load(schema: type[Schema], raw: Any) -> Any:
    """The schema's data, an empty or wrong body being a wrong shape and never an error."""
    if not isinstance(raw, dict):
        raise ValidationError({"_schema": ["Must be an object."]})
    return _made(schema).load(raw)


@cache
def _made(schema: type[Schema]) -> Schema:
    """Once: to make one costs as much as to load a body with it. Threads may share it."""
    return schema()


def outcome(
    session: Session, recorded: tuple[Recorded, ...], more_names: Names | None = None
) -> dict[str, Any]:
    """What a write answers: the new events, the state after them, and the receipt."""
    card: Card = g.card
    return {
        "events": [event(one) for one in recorded],
        "session": state(session, card.title, {**card.names, **(more_names or {})}),
        "receipt": receipt(session.version, session.hash, session.at),
    }


def write(work: Callable[[Session], Work], expected: Expected | None = None) -> Response:
    """Append through the store and answer with the outcome."""

    def in_its_currency(session: Session) -> Work:
        g.currency = session.opening.currency  # a refusal may name amounts
        return work(session)

    reply = store().write(
        g.session_id,
        asked(expected),
        in_its_currency,
        lambda session, new: as_json(outcome(session, new)),
        _called,
        g.card,
    )
    return answer(reply)


def _called(names: Names) -> None:
    """What everybody is called now that the evening is ours."""
    g.card, g.names = msgspec.structs.replace(g.card, names=names), names
    cards: Cards = current_app.extensions["cards"]
    cards.remember(g.session_id, g.card)


def answer(reply: Reply) -> Response:
    made = Response(reply.body, reply.status, content_type="application/json")
    made.headers["Location"] = f"/v1/sessions/{reply.session_id}"
    if reply.replayed:
        made.headers["Idempotency-Replayed"] = "true"
    return tagged(made, reply.version)


def tagged(made: Response, version: int | None) -> Response:
    if version is not None:
        made.headers["ETag"] = f'"{version}"'
    made.headers["Cache-Control"] = "private, no-cache"
    return made


def shown(what: Any, version: int | None = None) -> Response:
    return tagged(Response(as_json(what), content_type="application/json"), version)
