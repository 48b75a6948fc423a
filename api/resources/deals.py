"""Deals of a session: list, show, correct, preview a correction, void."""

from typing import Literal

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http import pagination
from api.http.app_state import event_store, session_metadata
from api.http.problems import Problem
from api.http.responses import session_response, worded_response
from api.http.session_request import append, read_session
from api.representations.deal import correction_preview_view, deal_view
from api.representations.session import append_response
from api.schemas.commands import BROKEN_DEALS, REASON, CorrectionPreviewSchema, CorrectionSchema
from api.schemas.fields import field_parameter
from api.schemas.strict import load_body
from engine import commands
from ledger.events.event_types import LedgerEvent
from ledger.projections.deals import Deal, find_deal, newest_first
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision

Actions = list[commands.Command] | None
BrokenDeals = Literal["void"] | None

blueprint = Blueprint("deals", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/deals")
@requires("viewer")
def list_deals() -> Response:
    """Return a page of the deals, the first one first."""
    session, remarks = read_session(), session_metadata().remarks(g.session_id)
    deals, next_page = pagination.paginate(
        "deals", [*newest_first(session.deals)][::-1], lambda _, deal: deal.number
    )
    views = [deal_view(session, deal, g.metadata.names, remarks) for deal in deals]
    view = {"deals": views, **next_page, "version": session.version}
    return worded_response(session, view)


@blueprint.get("/<session>/deals/<int:deal>")
@requires("viewer")
def show_deal(deal: int) -> Response:
    """Return one deal, with every posting and its reason."""
    session, remarks = read_session(), session_metadata().remarks(g.session_id)
    view = deal_view(session, _find_deal(session, deal), g.metadata.names, remarks)
    return worded_response(session, view)


@blueprint.put("/<session>/deals/<int:deal>")
@requires("scorer", writes=True)
def correct_deal(deal: int) -> Response:
    """Record how the deal was really played; later deals are scored again."""
    return _append_correction(deal, **load_body(CorrectionSchema))


@blueprint.post("/<session>/deals/<int:deal>/preview")
@requires("scorer", has_body=True)
def preview_correction(deal: int) -> Response:
    """Return what a correction, or without `actions` voiding the deal, would change."""
    correction = load_body(CorrectionPreviewSchema)
    session = event_store().load(g.session_id)
    g.currency = session.opening.currency  # a refusal may name amounts
    events = _correction_events(session, deal, correction["actions"], correction["broken_deals"])
    return session_response(session, correction_preview_view(session, deal, events))


@blueprint.delete("/<session>/deals/<int:deal>")
@requires("scorer", writes=True)
def void_deal(deal: int) -> Response:
    """Void the deal, its stake included (`?reason=`, `?later=void`)."""
    reason = field_parameter("reason", REASON)
    broken_deals = field_parameter("later", BROKEN_DEALS)
    return _append_correction(deal, None, broken_deals, reason)


def _append_correction(
    deal: int, actions: Actions, broken_deals: BrokenDeals, reason: str | None
) -> Response:
    def decide(session: SessionState) -> Decision:
        events = _correction_events(session, deal, actions, broken_deals)
        return Decision(events=events, remark=reason)

    return append_response(append(decide))


def _correction_events(
    session: SessionState, deal: int, actions: Actions, broken_deals: BrokenDeals
) -> tuple[LedgerEvent, ...]:
    """Return the events of a correction; without actions the deal, open or closed, is voided.

    Later deals that no longer fit are voided as well, or else the correction is refused.
    """
    _find_deal(session, deal)
    if actions is None and session.table.deal_is_open and session.table.deal_number == deal:
        return command_handlers.void_open_deal(session, deal)
    return command_handlers.correct_deal(session, deal, actions, broken_deals or "refuse")


def _find_deal(session: SessionState, number: int) -> Deal:
    deal = find_deal(session.deals, number)
    if deal is None:
        raise Problem(404, "unknown_deal", deal=number)
    return deal
