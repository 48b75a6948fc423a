"""Phones that have been let in, the links that let them in, and the PINs that say whose they are
(contract.md §1: a role's token moves on by a generation, and the one before is worth nothing)."""

import msgspec
from flask import Blueprint, Response, g
from marshmallow import ValidationError, fields, validate, validates_schema

from api import access
from api.links import links as links_to
from api.preconditions import as_json, asked, asked_beside
from api.problems import Problem
from api.sessions import Label, PlayerId, answer, load, secret, shown, store
from api.shapes import Exactly, Strict
from engine.values import Player
from ledger import beside, phones, pins
from ledger.database import Connection
from ledger.phones import Phone
from ledger.times import iso
from ledger.writing import KeyReused, Reply

blueprint = Blueprint("phones", __name__, url_prefix="/v1/sessions")

Pin = validate.Regexp(r"[0-9]{4,8}\Z", error="Four to eight digits.")


class PhoneSchema(Strict):
    label = Label(required=True)
    role = Exactly(access.ROLES, load_default=None, allow_none=False)
    player = fields.String(load_default=None, allow_none=True, validate=PlayerId)
    pin = fields.String(load_default=None, allow_none=True, validate=Pin)

    @validates_schema(skip_on_field_errors=True)
    def _whose(self, data: dict[str, object], **_: object) -> None:
        if data["pin"] is not None and data["player"] is None:
            raise ValidationError({"pin": ["One of the players."]})


class PinSchema(Strict):
    pin = fields.String(required=True, validate=Pin)
    current = fields.String(load_default=None, allow_none=True, validate=Pin)


@blueprint.get("/<session>/phones")
@access.requires("viewer")
def listed() -> Response:
    """Who has been let in, since when and as what; and which players have a PIN."""
    pool = store().pool
    told = [view(phone) for phone in phones.phones(pool, g.session_id)]
    return shown({"phones": told, "pins": pins.with_pins(pool, g.session_id)})


@blueprint.post("/<session>/phones")
@access.requires("scorer", writes=True)
def let_in() -> Response:
    """A right of its own for one phone, so that everybody sees who said what."""
    wanted = load(PhoneSchema, g.body)
    role, player = wanted["role"] or g.role, wanted["player"]
    if access.ROLES.index(role) < access.ROLES.index(g.role):
        raise Problem(403, "role_too_low", role=g.role, needed=role)
    if player is not None:
        if player not in g.names:
            raise ValidationError({"player": ["One of the players."]})
        prove(player, wanted["pin"])

    def work(db: Connection, _: int) -> bytes:
        return as_json(view(phones.let_in(db, g.session_id, role, wanted["label"], player)))

    reply = write(work)
    if msgspec.json.decode(reply.body)["role"] != role:
        raise KeyReused  # a role that is left out is the asker's, and the first one had another
    return with_token(reply)


@blueprint.delete("/<session>/phones/<phone>")
@access.requires("host", writes=True)
def shut_out(phone: str) -> Response:
    """Its right is worth nothing from now on; what it has written stands."""
    number = access.phone_number(phone)

    def work(db: Connection, _: int) -> bytes:
        return as_json(view(phones.shut_out(db, g.session_id, number)))

    try:
        return answer(write(work))
    except phones.UnknownPhone:
        raise Problem(404, "unknown_phone", phone=phone) from None


@blueprint.delete("/<session>/links/<link>")
@access.requires("host", writes=True)
def rotate(link: str) -> Response:
    """The link of this role ends, and another one takes its place; phones stay let in."""
    if link not in access.ROLES:
        raise Problem(404, "not_found")
    if link == "host" and g.by.startswith("host."):
        raise Problem(409, "own_link")  # and an answer that gets lost would lock its owner out

    def work(db: Connection, _: int) -> bytes:
        phones.rotate(db, g.session_id, access.ROLES.index(link))
        return as_json({"role": link})

    reply = write(work)
    card = access.card(g.session_id)
    rights = access.tokens(secret(), g.session_id, card)
    made = as_json(links_to("s", g.session_id, rights))
    return answer(msgspec.structs.replace(reply, body=reply.body[:-1] + b',"links":' + made + b"}"))


@blueprint.put("/<session>/players/<player>/pin")
@access.requires("scorer", writes=True)
def set_pin(player: str) -> Response:
    """From now on a phone is this player's only if somebody knows the PIN."""
    known(player)
    wanted = load(PinSchema, g.body)
    if g.role != "host":
        prove(player, wanted["current"])

    def work(db: Connection, _: int) -> bytes:
        pins.put(db, g.session_id, player, wanted["pin"])
        return as_json({"player": player, "pin": True})

    return answer(write(work))


@blueprint.delete("/<session>/players/<player>/pin")
@access.requires("host", writes=True)
def take_pin_away(player: str) -> Response:
    """For somebody who has forgotten it."""
    known(player)

    def work(db: Connection, _: int) -> bytes:
        pins.take_away(db, g.session_id, player)
        return as_json({"player": player, "pin": False})

    return answer(write(work))


def known(player: Player) -> None:
    """Problem(404) for somebody who is not of this evening."""
    if player not in g.names:
        raise Problem(404, "unknown_player", player=player)


def prove(player: Player, pin: str | None) -> None:
    """Whether whoever asks may speak for this player, or has just been told so. Problem."""
    if beside.answered(store().pool, g.session_id, asked(expected="any")):
        return
    try:
        pins.check(store().pool, g.session_id, player, pin)
    except pins.PinNeeded:
        raise Problem(403, "pin_needed", player=player) from None
    except pins.WrongPin as wrong:
        raise Problem(403, "wrong_pin", player=player, left=wrong.left) from None
    except pins.PinLocked as locked:
        wait = locked.wait_seconds
        headers = {"Retry-After": str(wait)}
        minutes = -(-wait // 60)
        raise Problem(429, "pin_locked", headers, player=player, minutes=minutes) from None


def write(work: beside.Do) -> Reply:
    """Once for the request's key, beside the evening's history."""
    try:
        return beside.write(store().pool, g.session_id, asked_beside(), work)
    except phones.TooManyPhones:
        raise Problem(409, "too_many_phones", most=phones.MOST_PHONES) from None


def with_token(reply: Reply) -> Response:
    """The answer that tells of a phone, with its token, which is made again and never stored."""
    number = access.phone_number(msgspec.json.decode(reply.body)["id"])
    right = as_json(access.phone_token(secret(), reply.session_id, number))
    return answer(
        msgspec.structs.replace(reply, body=reply.body[:-1] + b',"token":' + right + b"}")
    )


def view(phone: Phone) -> dict[str, object]:
    """A phone as clients see it."""
    return {
        "id": phone.id,
        "label": phone.label,
        "role": phone.role,
        "player": phone.player,
        "made_at": iso(phone.made_at),
        "ended_at": None if phone.ended_at is None else iso(phone.ended_at),
    }
