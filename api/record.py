"""A deal as clients see it: what was said, what came of it, and why each krona or point moved."""

from typing import Any

import msgspec

from api import words
from api.state import Names
from engine import events as e
from engine.recorded import action_of
from engine.revokes import Revoke
from ledger import why
from ledger.behind import behind
from ledger.projections.deals import Before, Deal
from ledger.proven import proven
from ledger.session import Session
from ledger.times import iso

Remarks = dict[int, str]
"""Why a deal was corrected or voided, in somebody's own words, by version."""


def deal_view(
    session: Session, deal: Deal, names: Names, remarks: Remarks | None = None
) -> dict[str, Any]:
    """A deal as it stands now, and before it what it had come to until a correction."""
    reasons = (*why.of_deal(session.rules, deal), *_payments(session, deal))
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "seats": list(deal.seats),
        "status": deal.status,
        "opened_at": iso(deal.facts[0].at),
        "closed_at": _closed_at(deal),
        "versions": [deal.facts[0].version, deal.facts[-1].version],
        **_record(session, deal, names, reasons),
        "before": [
            {
                "version": was.version,
                "at": iso(was.at),
                "because_of": was.deal,
                "reason": (remarks or {}).get(was.version),
                **_earlier(session, was, names),
            }
            for was in deal.before
        ],
        "findings": [_finding(version, revoke, names) for version, revoke in proven(session, deal)],
    }


def _earlier(session: Session, was: Before, names: Names) -> dict[str, Any]:
    deal = Deal(facts=was.facts)
    return _record(session, deal, names, why.of_deal(session.rules, deal))


def _record(
    session: Session, deal: Deal, names: Names, reasons: tuple[why.Reason, ...]
) -> dict[str, Any]:
    """What was said and what came of it: `why` has one sentence per posting."""
    speak, currency = words.speaker(), session.opening.currency
    told = [speak.why(reason, names, currency) for reason in reasons]
    said = [f.event for f in deal.facts if isinstance(f.event, e.Spoken)]
    end = deal.closing
    return {
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
                "behind": list(behind(session, deal, reason.version)),
            }
            for reason, sentence in zip(reasons, told, strict=True)
        ],
        "why": told,
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
