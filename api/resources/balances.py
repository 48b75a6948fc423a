"""The balances, the pot, the bets and the la vola payments of a session, now or `?at=` a version or
a moment."""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http import pagination
from api.http.app_state import event_store
from api.http.responses import REVALIDATE, session_response
from api.http.session_request import read_session
from api.representations.session import balances_view, bets_view, payment_view, pot_view
from ledger.events.timestamps import format_timestamp
from ledger.operations import settlement_failures

blueprint = Blueprint("balances", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/balances")
@requires("viewer")
def show_balances() -> Response:
    """Return the settled money of every player."""
    session = read_session()
    return session_response(session, {"balances": balances_view(session)})


@blueprint.get("/<session>/pot")
@requires("viewer")
def show_pot() -> Response:
    """Return what lies in the pot."""
    session = read_session()
    return session_response(session, {"pot": pot_view(session)})


@blueprint.get("/<session>/bets")
@requires("viewer")
def show_bets() -> Response:
    """Return the stack of bets, in the order they are played for."""
    session = read_session()
    return session_response(session, {"bets": bets_view(session)})


@blueprint.get("/<session>/payments")
@requires("viewer")
def list_payments() -> Response:
    """Return a page of the payments, and since when they cannot be settled, if so."""
    failures = settlement_failures.list_failures(event_store().pool, g.session_id)
    session = read_session()
    payments, next_page = pagination.paginate("payments", [*session.payments.values()])
    views = [payment_view(payment) for payment in payments]
    view: dict[str, object] = {"payments": views, **next_page}
    if not failures:
        return session_response(session, view)
    since, attempts = failures[0].since, failures[0].attempts
    view["failure"] = {"since": format_timestamp(since), "attempts": attempts}
    return session_response(session, view, f"attempt-{attempts}-{since}")


@blueprint.post("/<session>/payments/retries")
@requires("scorer")
def retry_settlement() -> Response:
    """Retry at once what could not be settled; nothing is written into the session."""
    settlement_failures.retry_now(event_store().pool, g.session_id)
    return Response(status=204, headers={"Cache-Control": REVALIDATE})
