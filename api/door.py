"""Coming in without a link: type a short code, wait at the door, be let in by the host, or go.

The code only says which evening it is; what is asked for is the host's to give.
"""

import hashlib

import msgspec
from flask import Blueprint, Response, g
from marshmallow import fields, validate

from api import access
from api.phones import write as beside_it
from api.preconditions import as_json, asked, read_write
from api.problems import Problem
from api.sessions import Label, answer, load, secret, shown, store
from api.shapes import Exactly, Strict
from ledger import beside, door
from ledger.database import Connection
from ledger.door import Code, Knock
from ledger.times import iso
from ledger.writing import Request, UnknownSession

blueprint = Blueprint("door", __name__, url_prefix="/v1")

ASKED_FOR = ("scorer", "viewer")


class KnockSchema(Strict):
    code = fields.String(required=True, validate=validate.Length(1, 20))
    label = Label(required=True)
    role = Exactly(ASKED_FOR, load_default="scorer")


class AnswerSchema(Strict):
    role = Exactly(ASKED_FOR, load_default=None)


@blueprint.get("/sessions/<session>/code")
@access.requires("host")
def code() -> Response:
    """The code that finds this evening, while its door is open."""
    found = door.code(store().pool, g.session_id)
    if found is None:
        raise Problem(404, "door_shut")
    return shown(_code(found))


@blueprint.post("/sessions/<session>/code")
@access.requires("host", writes=True)
def open_door() -> Response:
    """A new code, for two hours; the one before finds nothing any more."""
    load(Strict, g.body)
    return answer(beside_it(lambda db, _: as_json(_code(door.open_door(db, g.session_id)))))


@blueprint.delete("/sessions/<session>/code")
@access.requires("host", writes=True)
def shut_door() -> Response:
    """Nobody finds this evening by a code; who has knocked still waits."""

    def work(db: Connection, _: int) -> bytes:
        door.shut_door(db, g.session_id)
        return as_json(_code(None))

    return answer(beside_it(work))


@blueprint.post("/knocks")
def ask() -> Response:
    """Ask to be let in; the answer is heard with the token that this gives."""
    read_write()
    wanted = load(KnockSchema, g.body)
    try:
        session_id = door.find(store().pool, wanted["code"])
    except door.UnknownCode:
        raise Problem(404, "unknown_code") from None

    def work(db: Connection, _: int) -> bytes:
        made = door.knock(db, session_id, wanted["label"], wanted["role"])
        return as_json({"knock": made.number, "status": made.status})

    try:
        reply = beside.write(store().pool, session_id, _own(asked(expected="any")), work)
    except door.TooManyKnocks:
        raise Problem(409, "too_many_knocks") from None
    number = msgspec.json.decode(reply.body)["knock"]
    right = access.knock_token(secret(), session_id, number)
    where = as_json({"session": str(session_id), "token": right})
    return answer(msgspec.structs.replace(reply, body=reply.body[:-1] + b"," + where[1:]))


@blueprint.get("/sessions/<session>/knock")
def heard(session: str) -> Response:
    """What one's own knock was answered; once let in, with a token for this phone."""
    session_id, number = access.knocked(session)
    try:
        who = door.at_the_door(store().pool, session_id, number)
    except door.UnknownKnock:
        raise UnknownSession from None
    told: dict[str, object] = {"knock": who.number, "status": who.status}
    if who.phone is not None:
        told |= {"token": access.phone_token(secret(), session_id, who.phone)}
    return shown(told)


heard.needs_role = "knock"  # type: ignore[attr-defined]  # the contract test reads it


@blueprint.delete("/sessions/<session>/knock")
def withdraw(session: str) -> Response:
    """Whoever knocked has thought better of it; the host is not asked any more."""
    read_write()
    session_id, number = access.knocked(session)

    def work(db: Connection, _: int) -> bytes:
        door.withdraw(db, session_id, number)
        return as_json({"knock": number, "status": "withdrawn"})

    try:
        made = beside.write(
            store().pool, session_id, _own(asked(expected="any"), f"{number} "), work
        )
    except door.UnknownKnock:
        raise UnknownSession from None
    except door.AlreadyAnswered:
        raise Problem(409, "already_answered", knock=number) from None
    return answer(made)


withdraw.needs_role = "knock"  # type: ignore[attr-defined]  # as above


@blueprint.get("/sessions/<session>/knocks")
@access.requires("host")
def knocks() -> Response:
    """Who is at the door."""
    everybody = door.knocks(store().pool, g.session_id)
    return shown({"knocks": [_view(one) for one in everybody if one.status == "waiting"]})


@blueprint.put("/sessions/<session>/knocks/<int:knock>")
@access.requires("host", writes=True)
def let_in(knock: int) -> Response:
    """Yes: the phone is let in, as what it asked for or as `role`."""
    role = load(AnswerSchema, g.body)["role"]

    def work(db: Connection, _: int) -> bytes:
        made = door.let_in(db, g.session_id, knock, role)
        return as_json({"knock": knock, "status": "let_in", "phone": made.id})

    return _answered(work, knock)


@blueprint.delete("/sessions/<session>/knocks/<int:knock>")
@access.requires("host", writes=True)
def refuse(knock: int) -> Response:
    """No."""

    def work(db: Connection, _: int) -> bytes:
        door.refuse(db, g.session_id, knock)
        return as_json({"knock": knock, "status": "refused", "phone": None})

    return _answered(work, knock)


def _answered(work: beside.Do, knock: int) -> Response:
    try:
        return answer(beside_it(work))
    except door.UnknownKnock:
        raise Problem(404, "unknown_knock", knock=knock) from None
    except door.AlreadyAnswered:
        raise Problem(409, "already_answered", knock=knock) from None
    except door.Withdrawn:
        raise Problem(409, "knock_withdrawn", knock=knock) from None


def _own(asked_for: Request, whose: str = "") -> Request:
    """Who knocks has keys of his own: none of them is one that somebody inside has used. `whose`:
    the number that he has, once he has one; others who wait have other keys. Nor is he held to a
    version: how far the evening has come is told inside."""
    key = f"○ knock {whose}" + hashlib.sha256(asked_for.key.encode()).hexdigest()
    return msgspec.structs.replace(asked_for, key=key, by="knock")


def _code(found: Code | None) -> dict[str, object]:
    return {"code": found and found.code, "until": found and iso(found.until)}


def _view(who: Knock) -> dict[str, object]:
    return {
        "knock": who.number,
        "label": who.label,
        "role": who.role,
        "made_at": iso(who.made_at),
    }
