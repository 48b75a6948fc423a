"""The open balances of a group over all its evenings, and payments against them."""

from collections.abc import Sequence

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.responses import content_tagged_response
from api.http.session_request import append_after_sessions
from api.representations.group_money.open_balances import open_balances_response, open_balances_view
from api.schemas.group import GroupTransferSchema
from api.schemas.strict import load_body
from ledger.groups.attendance import check_present
from ledger.groups.group_event_log import load_group_events
from ledger.groups.group_events import GroupEvent, GroupTransferRecorded
from ledger.groups.groups import Group
from ledger.groups.open_balances import PlayedSession, check_planned, check_uncancelled
from ledger.session.command_handlers import SamePlayer
from ledger.store.connection_pool import Connection

blueprint = Blueprint("open_balances", __name__, url_prefix="/v1/groups")


@blueprint.get("/<group>/open-balances")
@requires("viewer")
def show_open_balances() -> Response:
    """Return what is open over all evenings, by currency and member, and the payment plan."""
    return content_tagged_response(open_balances_view(g.group))


@blueprint.post("/<group>/transfers")
@requires("scorer", writes=True)
def record_group_transfer() -> Response:
    """Record what one member has paid another against the balances of several evenings."""
    body = load_body(GroupTransferSchema)
    open_amount, reversed_number = body.pop("open_amount"), body.pop("reverses")
    transfer = GroupTransferRecorded(**body)
    if transfer.payer == transfer.payee:
        raise SamePlayer

    def decide(
        db: Connection, group: Group, sessions: Sequence[PlayedSession]
    ) -> Sequence[GroupEvent]:
        check_present(group, (transfer.payer, transfer.payee))
        if open_amount is not None:
            check_planned(transfer, open_amount, sessions, load_group_events(db, group.id))
        if reversed_number is not None:
            check_uncancelled(transfer, reversed_number, load_group_events(db, group.id))
        return (transfer,)

    return open_balances_response(append_after_sessions(decide))
