"""Shared costs of a session: list, show, record, correct, void."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http import pagination
from api.http.app_state import session_metadata
from api.http.idempotency import optional_version
from api.http.problems import Problem
from api.http.responses import worded_response
from api.http.session_request import append, read_session
from api.i18n.translator import request_translator
from api.representations.deal import posting_view
from api.representations.session import append_response, cost_summary_view
from api.schemas.cost import CostSchema
from api.schemas.strict import load_body
from ledger.events.timestamps import format_timestamp
from ledger.projections.costs import Cost
from ledger.reporting.posting_reasons import explain_event
from ledger.session import cost_commands
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision

blueprint = Blueprint("costs", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/costs")
@requires("viewer")
def list_costs() -> Response:
    """Return a page of the costs, the first one first, voided ones among them."""
    session = read_session()
    costs, next_page = pagination.paginate("costs", [*session.costs.values()])
    view = {"costs": _cost_views(session, costs), **next_page, "version": session.version}
    return worded_response(session, view)


@blueprint.get("/<session>/costs/<int:cost>")
@requires("viewer")
def show_cost(cost: int) -> Response:
    """Return one cost, with every posting and its reason."""
    session = read_session()
    (view,) = _cost_views(session, [_find_cost(session, cost)])
    return worded_response(session, view)


@blueprint.post("/<session>/costs")
@requires("scorer", writes=True)
def record_cost() -> Response:
    """Record what one player paid for several. It depends on nothing before it, so a request may
    do without If-Match."""
    fields = load_body(CostSchema)
    purpose = fields.pop("purpose")

    def decide(session: SessionState) -> Decision:
        return Decision(events=cost_commands.record_cost(session, **fields), remark=purpose)

    return append_response(append(decide, optional_version()))


@blueprint.put("/<session>/costs/<int:cost>")
@requires("scorer", writes=True)
def correct_cost(cost: int) -> Response:
    """Record a cost anew under its number; one that was voided counts again."""
    fields = load_body(CostSchema)
    purpose = fields.pop("purpose")

    def decide(session: SessionState) -> Decision:
        _find_cost(session, cost)
        events = cost_commands.correct_cost(session, cost, **fields)
        return Decision(events=events, remark=purpose)

    return append_response(append(decide))


@blueprint.delete("/<session>/costs/<int:cost>")
@requires("scorer", writes=True)
def void_cost(cost: int) -> Response:
    """Void a cost: it never counted, and keeps its number."""

    def decide(session: SessionState) -> Decision:
        _find_cost(session, cost)
        return Decision(events=cost_commands.void_cost(session, cost))

    return append_response(append(decide))


def _find_cost(session: SessionState, number: int) -> Cost:
    if number not in session.costs:
        raise Problem(404, "unknown_cost", cost=number)
    return session.costs[number]


def _cost_views(session: SessionState, costs: Sequence[Cost]) -> list[dict[str, Any]]:
    """Return the costs as they were recorded last, with what they were for and the reason of each
    posting; a voided one has none."""
    translator, currency = request_translator(g.metadata.names), session.opening.currency
    purposes, rules = session_metadata().remarks(session.id), session.rule_references
    return [
        {
            **cost_summary_view(cost),
            "purpose": purposes.get(cost.version),
            "version": cost.version,
            "at": format_timestamp(cost.at),
            "postings": [
                posting_view(reason, translator.explain_posting(reason, currency))
                for reason in explain_event(rules, cost.version, cost.fact)
                if not cost.voided
            ],
        }
        for cost in costs
    ]
