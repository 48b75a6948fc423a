"""The deals of an evening: what was said, what came of it, and why each krona moved."""

from typing import Any

import msgspec
from flask import Blueprint, Response, g, request
from marshmallow import ValidationError

from api import access, words
from api.problems import Problem, ShapeWrong
from api.sessions import Label, read, shown, write
from api.state import Names
from engine import events as e
from engine.recorded import action_of
from engine.revokes import Revoke
from ledger import handling, why
from ledger.projections.deals import Deal, newest_first
from ledger.proven import proven
from ledger.session import Session
from ledger.times import iso
from ledger.writing import Work

blueprint = Blueprint("deals", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/deals")
@access.requires("viewer")
def deals() -> Response:
    """All deals, the first one first."""
    session = read()
    found = [deal_view(session, deal, g.card.names) for deal in newest_first(session.deals)]
    return _told({"deals": found[::-1], "version": session.version}, session.version)


@blueprint.get("/<session>/deals/<int:deal>")
@access.requires("viewer")
def deal(deal: int) -> Response:
    """One deal, with every posting and its reason."""
    session = read()
    for found in newest_first(session.deals):
        if found.number == deal:
            return _told(deal_view(session, found, g.card.names), session.version)
    raise Problem(404, "unknown_deal", deal=deal)


@blueprint.delete("/<session>/deals/<int:deal>")
@access.requires("scorer", writes=True)
def misdeal(deal: int) -> Response:
    """The open deal never counted, its stake neither (`?reason=`)."""
    reason = None
    if "reason" in request.args:
        try:
            reason = Label().deserialize(request.args["reason"])
        except ValidationError as error:
            wrong = [{"pointer": "?reason", "detail": str(said)} for said in error.messages]
            raise ShapeWrong(wrong) from None
    return write(lambda s: Work(events=handling.misdeal(s, deal), remark=reason))


def deal_view(session: Session, deal: Deal, names: Names) -> dict[str, Any]:
    """A deal as clients see it: `why` has one sentence per posting."""
    speak, currency = words.speaker(), session.opening.currency
    reasons = [*why.of_deal(session.rules, deal), *_payments(session, deal)]
    told = [speak.why(reason, names, currency) for reason in reasons]
    said = [f.event for f in deal.facts if isinstance(f.event, e.Spoken)]
    end = deal.closing
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "seats": list(deal.seats),
        "status": deal.status,
        "opened_at": iso(deal.facts[0].at),
        "closed_at": _closed_at(deal),
        "versions": [deal.facts[0].version, deal.facts[-1].version],
        "amount_played_for": deal.opening.played_for or None,
        "actions": [msgspec.to_builtins(action_of(fact)) for fact in said],
        "outcome": {
            **(_outcome(deal, end) if end else {}),
            "text": speak.outcome(why.outcome(deal), names, currency),
        },
        "postings": [
            {
                "version": reason.version,
                "from": reason.posting.source,
                "to": reason.posting.target,
                "amount": reason.posting.amount,
                "unit": reason.posting.unit,
                "why": sentence,
            }
            for reason, sentence in zip(reasons, told, strict=True)
        ],
        "why": told,
        "findings": [_finding(version, revoke, names) for version, revoke in proven(session, deal)],
    }


def _finding(version: int, revoke: Revoke, names: Names) -> dict[str, Any]:
    """A revoke that later cards prove: for the table to talk about, no money moves."""
    said = {**msgspec.to_builtins(revoke), "legal": list(revoke.legal)}
    del said["place"]
    speak = words.speaker()
    cards = ", ".join(revoke.legal)
    who = speak.name(revoke.player, names)
    text = speak("findings.revoke", who=who, card=revoke.card, trick=revoke.trick, legal=cards)
    return {"code": "revoke", "version": version, **said, "text": text}


def _told(what: Any, version: int) -> Response:
    """Sentences are in the reader's language, and the answer says in which."""
    made = shown(what, version)
    made.headers["Vary"] = "Accept-Language"
    made.headers["Content-Language"] = words.speaker().language
    return made


def _closed_at(deal: Deal) -> str | None:
    """When its last action was recorded; a merge may have followed."""
    ends = (f.at for f in deal.facts if isinstance(f.event, e.DealClosed))
    return next((iso(at) for at in ends), None)


def _outcome(deal: Deal, end: e.DealClosed) -> dict[str, Any]:
    told = why.outcome(deal)
    points = {"+".join(who): points for who, points in told.scores}
    return {
        "type": end.outcome,
        "declarers": list(end.declarers),
        "winner": end.winner,
        "la_vola": end.la_vola,
        "tricks": list(end.tricks),
        **({"taken": end.taken} if end.taken else {}),
        **({"points": points} if points else {}),
        **({"game_won": list(told.winners)} if told.winners else {}),
    }


def _payments(session: Session, deal: Deal) -> list[why.Reason]:
    """Legs of a la vola that are settled; those taken back cancel themselves."""
    rules = session.rules
    settled = [p for p in session.payments.values() if p.deal == deal.number]
    return [why.of_payment(rules, p) for p in settled if p.status == "settled"]
