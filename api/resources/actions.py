"""Actions: the one way to record play."""

from typing import Any

from flask import Blueprint, Response

from api.auth.access import requires
from api.http.app_state import session_metadata
from api.http.idempotency import optional_version
from api.http.problems import problem_response
from api.http.session_request import append
from api.representations.deal import deal_view
from api.representations.session import append_response
from api.schemas.commands import ActionsSchema
from api.schemas.strict import load_body
from engine.commands import Command, OpenDeal
from engine.errors import DealTaken
from ledger.projections.deals import newest_first
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision

blueprint = Blueprint("actions", __name__, url_prefix="/v1/sessions")


@blueprint.post("/<session>/actions")
@requires("scorer", writes=True, trusts_cache=True)
def record_actions() -> Response:
    """Record 1–100 actions, all or none."""
    actions: list[Command] = load_body(ActionsSchema)["actions"]
    session_at_refusal: SessionState | None = None

    def decide(session: SessionState) -> Decision:
        nonlocal session_at_refusal
        session_at_refusal = session
        return Decision(events=command_handlers.record_actions(session, actions))

    try:
        # the number of a first deal to open is enough: it is refused unless the next deal has it
        is_numbered = isinstance(actions[0], OpenDeal) and actions[0].number is not None
        return append_response(append(decide, optional_version() if is_numbered else None))
    except DealTaken as error:
        assert session_at_refusal is not None, "the refusal comes out of decide"
        deal = _deal_with_number(session_at_refusal, error.operands["number"])
        return problem_response(409, error.code, None, **error.operands, deal=deal)


def _deal_with_number(session: SessionState, number: object) -> Any:
    """Return the deal that has this number already, as it stood when the request was refused."""
    deal = next(deal for deal in newest_first(session.deals) if deal.number == number)
    metadata = session_metadata().load(session.id)  # a cached name may have been erased since
    return deal_view(session, deal, metadata.names)
