"""Reading money: pot, bets, balances, payments, who pays whom (contract.md §4)."""

from typing import Any

from flask import Blueprint, Response, current_app, g
from marshmallow import fields, validate

from api import access
from api.sessions import PlayerId, load, read, shown, write
from api.shapes import Exactly, Strict, Whole
from api.state import balances as balances_of
from api.state import bets as bets_of
from api.state import payment
from api.state import pot as pot_of
from engine.values import MAX_AMOUNT
from ledger import audit, handling, settlement
from ledger.postings import POT
from ledger.session import Session
from ledger.writing import Work

blueprint = Blueprint("money", __name__, url_prefix="/v1/sessions")


class TransferSchema(Strict):
    payer = fields.String(required=True, data_key="from", validate=PlayerId)
    payee = fields.String(required=True, data_key="to", validate=PlayerId)
    amount = Whole(required=True, validate=validate.Range(1, MAX_AMOUNT))
    method = Exactly(
        ("cash", "swish", "mobilepay", "vipps", "bank", "other"), load_default=None, allow_none=True
    )


@blueprint.get("/<session>/pot")
@access.requires("viewer")
def pot() -> Response:
    """What lies in the pot."""
    return _shown(lambda session: {"pot": pot_of(session)})


@blueprint.get("/<session>/bets")
@access.requires("viewer")
def bets() -> Response:
    """The stack of bets, in the order they are played for."""
    return _shown(lambda session: {"bets": bets_of(session)})


@blueprint.get("/<session>/balances")
@access.requires("viewer")
def balances() -> Response:
    """Settled money of every player."""
    return _shown(lambda session: {"balances": balances_of(session)})


@blueprint.get("/<session>/payments")
@access.requires("viewer")
def payments() -> Response:
    """La vola payments: due, settled, cancelled."""
    return _shown(lambda s: {"payments": [payment(leg) for leg in s.payments.values()]})


@blueprint.get("/<session>/settlement")
@access.requires("viewer")
def settle() -> Response:
    """The fewest transfers that bring every balance to zero.

    Money still in the pot and on bets belongs to nobody yet; it is paid to the box (`pot`).
    """

    def plan(session: Session) -> dict[str, Any]:
        box = -sum(session.balances.values())
        found = settlement.transfers({**session.balances, POT: box})
        return {
            "transfers": [{"from": t.payer, "to": t.payee, "amount": t.amount} for t in found],
            "left_over": box,
            "payments_due": sum(p.status == "due" for p in session.payments.values()),
        }

    return _shown(plan)


@blueprint.post("/<session>/transfers")
@access.requires("scorer", writes=True)
def transfer() -> Response:
    """Somebody paid somebody outside the game, and says so."""
    wanted = load(TransferSchema(), g.body)
    return write(lambda session: Work(events=handling.transfer(session, **wanted)))


@blueprint.get("/<session>/audit")
@access.requires("viewer")
def audited() -> Response:
    """The seals, the sums and the projections of this evening, checked now."""
    with current_app.extensions["auditor"].connection() as db, audit.snapshot(db):
        findings = audit.audit(db, g.session_id)
    session = read()
    return shown(
        {
            "session": str(session.id),
            "version": session.version,
            "hash": session.hash.hex(),
            "clean": audit.clean(findings),
            "findings": findings,
        },
        session.version,
    )


def _shown(what: Any) -> Response:
    session = read()
    return shown({**what(session), "version": session.version}, session.version)
