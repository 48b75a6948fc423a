"""La vola payments: due, settled, cancelled."""

from typing import Any

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http import pagination
from api.http.app_state import event_store
from api.http.responses import REVALIDATE, session_response
from api.http.session_request import read_session
from api.representations.session import payment_view
from ledger.events.timestamps import format_timestamp
from ledger.operations import settlement_failures

blueprint = Blueprint("payments", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/payments")
@requires("viewer")
def list_payments() -> Response:
    """Return all payments or a page of them, and since when they cannot be settled, if so."""
    failure = _failure_view()
    session = read_session()
    payments, next_page = pagination.paginate("payments", [*session.payments.values()])
    views = [payment_view(payment) for payment in payments]
    return session_response(session, {"payments": views, **next_page, **failure})


@blueprint.delete("/<session>/payments/stuck")
@requires("scorer")
def retry_settlement() -> Response:
    """Retry at once what could not be settled; nothing is written into the session."""
    settlement_failures.retry_now(event_store().pool, g.session_id)
    return Response(status=204, headers={"Cache-Control": REVALIDATE})


def _failure_view() -> dict[str, Any]:
    failures = settlement_failures.list_failures(event_store().pool, g.session_id)
    if not failures:
        return {}
    return {"stuck": {"since": format_timestamp(failures[0].since), "tries": failures[0].tries}}
