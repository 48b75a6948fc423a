"""The deals of an evening: what was said, what came of it, and why each krona moved."""

from typing import Any

from flask import Blueprint, Response, current_app, g, request
from marshmallow import ValidationError, fields, validate

from api import access, cursors, shapes, words
from api.problems import Problem, ShapeWrong
from api.record import Remarks, deal_view
from api.sessions import Label, load, read, shown, write
from api.shapes import Exactly, Strict
from engine.correcting import Later
from ledger import handling
from ledger.projections.deals import newest_first
from ledger.session import Session
from ledger.writing import Work

blueprint = Blueprint("deals", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/deals")
@access.requires("viewer")
def deals() -> Response:
    """All deals, the first one first; or a page of them."""
    session = read()
    said = _remarks()
    every = [*newest_first(session.deals)][::-1]
    shown, following = cursors.page("deals", every, lambda _, deal: deal.number)
    found = [deal_view(session, deal, g.card.names, said) for deal in shown]
    return _told({"deals": found, **following, "version": session.version}, session.version)


@blueprint.get("/<session>/deals/<int:deal>")
@access.requires("viewer")
def deal(deal: int) -> Response:
    """One deal, with every posting and its reason."""
    session = read()
    for found in newest_first(session.deals):
        if found.number == deal:
            seen = deal_view(session, found, g.card.names, _remarks())
            return _told(seen, session.version)
    raise Problem(404, "unknown_deal", deal=deal)


class CorrectionSchema(Strict):
    actions = fields.List(fields.Raw(), required=True, validate=validate.Length(1, 100))
    reason = Label(most=200, load_default=None, allow_none=True)
    later = Exactly(("void",), load_default=None, allow_none=True)


@blueprint.put("/<session>/deals/<int:deal>")
@access.requires("scorer", writes=True)
def correct(deal: int) -> Response:
    """The deal was really played like this; later deals are scored again."""
    wanted = load(CorrectionSchema, g.body)
    commands = shapes.commands(wanted["actions"])
    later: Later = "void" if wanted["later"] else "refuse"

    def work(session: Session) -> Work:
        _known(session, deal)
        facts = handling.correction(session, deal, commands, later)
        return Work(events=facts, remark=wanted["reason"])

    return write(work)


@blueprint.delete("/<session>/deals/<int:deal>")
@access.requires("scorer", writes=True)
def never(deal: int) -> Response:
    """The deal never counted, its stake neither (`?reason=`, `?later=void`)."""
    reason, later = _query("reason", Label(most=200)), _query("later", Exactly(("void",)))

    def work(session: Session) -> Work:
        _known(session, deal)
        table = session.table
        if table.open and table.number == deal:
            return Work(events=handling.misdeal(session, deal), remark=reason)
        then: Later = "void" if later else "refuse"
        return Work(events=handling.correction(session, deal, None, then), remark=reason)

    return write(work)


def _query(name: str, field: fields.Field[Any]) -> Any:
    if name not in request.args:
        return None
    try:
        return field.deserialize(request.args[name])
    except ValidationError as error:
        wrong = [{"pointer": f"?{name}", "detail": str(said)} for said in error.messages]
        raise ShapeWrong(wrong) from None


def _known(session: Session, deal: int) -> None:
    if not any(found.number == deal for found in newest_first(session.deals)):
        raise Problem(404, "unknown_deal", deal=deal)


def _remarks() -> Remarks:
    found: Remarks = current_app.extensions["cards"].remarks(g.session_id)
    return found


def _told(what: Any, version: int) -> Response:
    """Sentences are in the reader's language, and the answer says in which."""
    made = shown(what, version)
    made.headers["Vary"] = "Accept-Language"
    made.headers["Content-Language"] = words.speaker().language
    return made
