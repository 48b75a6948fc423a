"""Play: the one way to write it (contract.md §3)."""

from typing import Any

from flask import Blueprint, Response, g
from marshmallow import fields, validate

from api import access, shapes
from api.problems import response
from api.record import deal_view
from api.sessions import load, write
from api.shapes import Strict
from engine import commands as c
from engine.errors import DealTaken
from ledger import handling
from ledger.projections.deals import newest_first
from ledger.session import Session
from ledger.writing import Expected, Work

blueprint = Blueprint("actions", __name__, url_prefix="/v1/sessions")


class BatchSchema(Strict):
    actions = fields.List(fields.Raw(), required=True, validate=validate.Length(1, 100))


@blueprint.post("/<session>/actions")
@access.requires("scorer", writes=True, believes=True)
def act() -> Response:
    """1–100 actions, all or nothing."""
    commands = shapes.commands(load(BatchSchema, g.body)["actions"])

    refused_on: Session | None = None

    def work(session: Session) -> Work:
        nonlocal refused_on
        refused_on = session
        return Work(events=handling.actions(session, commands))

    try:
        return write(work, expected=_expected(commands))
    except DealTaken as taken:
        assert refused_on is not None, "who refuses has seen the evening"
        return response(
            409,
            taken.code,
            number=taken.operands["deal"],
            action=taken.operands["action"],
            deal=_recorded(refused_on, taken.operands["deal"]),
        )


def _expected(commands: list[c.Command]) -> Expected:
    """A first `open_deal` with a number already names what it expects."""
    given: Expected = g.expected
    match commands[0]:
        case c.OpenDeal(number=int()) if given == "missing":
            return "any"
    return given


def _recorded(session: Session, number: object) -> Any:
    """The deal that has this number, as it stood in the way: it may have been undone by now."""
    found = next(deal for deal in newest_first(session.deals) if deal.number == number)
    return deal_view(session, found, g.card.names)
