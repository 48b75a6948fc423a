"""The representation of a deal: its actions, its outcome, and why each krona or point moved."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from api.i18n.translator import Names, request_translator
from api.representations.session import bets_view
from engine import events
from engine.session.event_to_command import command_of
from engine.session.revokes import Revoke
from ledger.events.event_types import LedgerEvent
from ledger.events.timestamps import format_timestamp
from ledger.projections.deals import Deal, SupersededFacts
from ledger.projections.postings import player_account
from ledger.reporting import posting_reasons
from ledger.reporting.deal_outcome import DealOutcome, describe_outcome
from ledger.reporting.posting_reasons import Explanation
from ledger.reporting.provenance import proven_revokes, source_versions
from ledger.session.preview import preview
from ledger.session.session_state import SessionState

Remarks = dict[int, str]
"""The reasons that people gave for correcting or voiding a deal, by version."""


def deal_view(
    session: SessionState, deal: Deal, names: Names, remarks: Remarks | None = None
) -> dict[str, Any]:
    """Return the deal as it stands now, and its earlier states until each correction."""
    closed = (format_timestamp(f.at) for f in deal.facts if isinstance(f.event, events.DealClosed))
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "seats": list(deal.seats),
        "status": deal.status,
        "opened_at": format_timestamp(deal.facts[0].at),
        "closed_at": next(closed, None),  # bets may have been merged since
        "versions": [deal.facts[0].version, deal.facts[-1].version],
        **_record_view(session, deal, names, _settled_payments(session, deal)),
        "before": [
            {
                "version": superseded.version,
                "at": format_timestamp(superseded.at),
                "corrected_deal": superseded.corrected_deal,
                "reason": (remarks or {}).get(superseded.version),
                **_earlier_view(session, superseded, names),
            }
            for superseded in deal.superseded
        ],
        "findings": [
            _finding_view(version, revoke, names)
            for version, revoke in proven_revokes(session, deal)
        ],
    }


def correction_preview_view(
    before: SessionState, deal: int, facts: Sequence[LedgerEvent]
) -> dict[str, Any]:
    """Return what these facts would change: money or points, pot, bets, and which other deals."""
    after = preview(before, facts)
    # payments that are due count as paid
    balance_changes = {p: after.funds(p) - before.funds(p) for p in after.balances}
    old_sheet, new_sheet = before.sheet, after.sheet
    score_changes = None
    if old_sheet and new_sheet:
        old_scores = old_sheet.scores
        score_changes = {side: n - old_scores[side] for side, n in new_sheet.scores.items()}
    corrections = [fact for fact in facts if isinstance(fact, events.DealCorrected)]
    rescored = [d for correction in corrections for d in correction.rescored]
    voided = [fact.deal for fact in facts if isinstance(fact, events.DealVoided)]
    return {
        "deal": deal,
        "balance_changes": balance_changes if before.is_for_money else None,
        "score_changes": score_changes,
        "pot": None if old_sheet else {"before": before.pot, "after": after.pot},
        "bets": None if old_sheet else {"before": bets_view(before), "after": bets_view(after)},
        "rescored": [d.deal for d in rescored if d.facts],
        "voided": [*voided, *(d.deal for d in rescored if not d.facts)],
    }


def _earlier_view(session: SessionState, earlier: SupersededFacts, names: Names) -> dict[str, Any]:
    deal = Deal(facts=earlier.facts)
    payments = posting_reasons.explain_la_vola_payments(session.rule_references, deal)
    return _record_view(session, deal, names, payments)


def _record_view(
    session: SessionState, deal: Deal, names: Names, payments: Sequence[Explanation]
) -> dict[str, Any]:
    """Return the actions, the outcome, and the postings with their reasons, the `payments` last."""
    explanations = (*posting_reasons.explain_deal(session.rule_references, deal), *payments)
    translator, currency = request_translator(names), session.opening.currency
    inputs = [fact.event for fact in deal.facts if isinstance(fact.event, events.InputEvent)]
    outcome = describe_outcome(deal)
    return {
        "amount_played_for": deal.opening.played_for or None,
        "actions": [msgspec.to_builtins(command_of(event)) for event in inputs],
        "outcome": {
            **(_outcome_view(outcome, deal.closing) if deal.closing else {}),
            "text": translator.describe_outcome(outcome, currency),
        },
        "postings": [
            {
                **posting_view(explanation, translator.explain_posting(explanation, currency)),
                "source_versions": list(source_versions(session, deal, explanation.version)),
            }
            for explanation in explanations
        ],
    }


def posting_view(explanation: Explanation, sentence: str) -> dict[str, Any]:
    """Return a posting, with the sentence that gives its reason."""
    posting = explanation.posting
    return {
        "version": explanation.version,
        "from": posting.source,
        "to": posting.target,
        "amount": posting.amount,
        "unit": posting.unit,
        "why": sentence,
    }


def _finding_view(version: int, revoke: Revoke, names: Names) -> dict[str, Any]:
    """Return a revoke that later cards prove. It moves no money: the players may discuss it."""
    fields = {**msgspec.to_builtins(revoke), "legal": list(revoke.legal)}
    del fields["place"]
    translator = request_translator(names)
    text = translator(
        "findings.revoke",
        who=translator.player_name(revoke.player),
        card=translator.card_name(revoke.card),
        trick=revoke.trick,
        legal=", ".join(map(translator.card_name, revoke.legal)),
    )
    return {"code": "revoke", "version": version, **fields, "text": text}


def _outcome_view(outcome: DealOutcome, closing: events.DealClosed) -> dict[str, Any]:
    points = {"+".join(players): points for players, points in outcome.scores}
    return {
        "type": closing.outcome,
        "declarers": list(closing.declarers),
        "winner": closing.winner,
        "la_vola": closing.la_vola,
        "tricks": list(closing.tricks),
        **({"taken": closing.taken} if closing.taken else {}),
        **({"points": points} if points else {}),
        **({"game_won": list(outcome.winners)} if outcome.winners else {}),
    }


def _settled_payments(session: SessionState, deal: Deal) -> list[Explanation]:
    """Return the payments for the deal's la vola that are settled. One that was due before a
    correction and was paid back since belongs to the superseded state of the deal."""
    paid: Counter[tuple[str, str]] = Counter()
    for payment in session.payments.values():
        if payment.deal == deal.number and payment.status == "settled":
            payer, payee = player_account(payment.payer), player_account(payment.payee)
            paid[payer, payee] += payment.amount
            paid[payee, payer] -= payment.amount
    return [
        explanation
        for explanation in posting_reasons.explain_la_vola_payments(session.rule_references, deal)
        if paid[explanation.posting.source, explanation.posting.target]
        == explanation.posting.amount
    ]
