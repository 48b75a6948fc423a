"""Actions: the one way to record play."""

from collections.abc import Callable, Sequence

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import session_metadata
from api.http.idempotency import optional_version
from api.http.problems import problem_response
from api.http.session_request import append
from api.representations.deal import deal_view
from api.representations.session import append_response
from api.schemas.commands import ActionsSchema
from api.schemas.strict import load_body
from engine.commands import Command, OpenDeal, Reseat
from engine.errors import DealTaken
from ledger.groups.attendance import MemberHasLeft, check_may_sit
from ledger.projections.deals import find_deal
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision
from ledger.store.connection_pool import Connection

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
        return Decision(
            events=command_handlers.record_actions(session, actions),
            in_transaction=_check_of_seats(session, actions),
        )

    try:
        # the number of a first deal to open is enough: it is refused unless the next deal has it
        is_numbered = isinstance(actions[0], OpenDeal) and actions[0].number is not None
        return append_response(append(decide, optional_version() if is_numbered else None))
    except DealTaken as error:
        assert session_at_refusal is not None, "the refusal comes out of decide"
        deal = find_deal(session_at_refusal.deals, error.operands["number"])
        assert deal is not None, "or the number would be free"
        names = session_metadata().load(g.session_id).names  # a cached one may be erased since
        view = deal_view(session_at_refusal, deal, names)
        return problem_response(409, error.code, None, **error.operands, deal=view)


def _check_of_seats(
    session: SessionState, actions: Sequence[Command]
) -> Callable[[Connection], None] | None:
    """Return a check that those who sit down may do so; None if nobody does."""
    seats = session.table.seats
    newly_seated = {
        place: [player for player in action.players if player not in seats]
        for place, action in enumerate(actions)
        if isinstance(action, Reseat)
    }
    if not any(newly_seated.values()):
        return None

    def check(db: Connection) -> None:
        for place, players in newly_seated.items():
            try:
                check_may_sit(db, session.id, players)
            except MemberHasLeft as refused:
                refused.operands["action"] = place
                raise

    return check
