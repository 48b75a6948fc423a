"""Lines of a bank's file against open transfers: preview a file, approve lines, take one back.

Nothing of a file is stored but the hash of each line that a person approved.
"""

from zoneinfo import ZoneInfo

from flask import Blueprint, Response, g
from werkzeug.routing import BaseConverter

from api.auth.access import requires
from api.http.app_state import event_store, group_store
from api.http.problems import problem_response, register_refusal
from api.http.query_parameters import DEFAULT_TIME_ZONE
from api.http.responses import content_tagged_response, json_response, reply_response
from api.http.session_request import append_after_sessions, append_to_group
from api.rate_limit.policy import PREVIEWS, Policy
from api.representations.group import load_own_events
from api.representations.group_money.bank_lines import preview_view, used_lines_view
from api.representations.group_money.imports import table_problem
from api.schemas.group_money.bank_lines import BankFileSchema, BankLineApprovalsSchema
from api.schemas.group_money.imports import MAX_REQUEST_BYTES
from api.schemas.strict import load_body
from ledger.events.timestamps import to_datetime
from ledger.groups.attendance import check_members
from ledger.groups.bank_lines import line_approval, line_matching
from ledger.groups.bank_lines.double_payments import mark_double_payments
from ledger.groups.bank_lines.line_approval import LineAlreadyUsed
from ledger.groups.bank_lines.open_transfers import balances_in, list_open_transfers
from ledger.groups.bank_lines.recorded_payments import (
    list_recorded_payments,
    mark_recorded_payments,
)
from ledger.groups.current_sessions import load_current_sessions
from ledger.groups.open_balances import members_settled_outside
from ledger.groups.stored_replies import GroupReply
from ledger.transfer.bank_file import Notation, guess_columns, read_bank_lines
from ledger.transfer.csv_table.columns import describe_columns
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import read_table

blueprint = Blueprint("bank_lines", __name__, url_prefix="/v1/groups")
register_refusal(blueprint, line_approval.LineNotUsed, 404, "bank_line_not_used", "line")
blueprint.register_error_handler(TableRefusal, table_problem)


class DigestConverter(BaseConverter):
    """A SHA-256 in a path, so that `preview` is none."""

    regex = "[0-9a-f]{64}"


blueprint.record_once(lambda state: state.app.url_map.converters.update(digest=DigestConverter))


@blueprint.post("/<group>/bank-lines/preview")
@Policy(pool="imports", max_bytes=MAX_REQUEST_BYTES, address_quota=PREVIEWS)
@requires("host", has_body=True)
def preview_bank_lines() -> Response:
    """Return which open transfer each line of a file may be the payment of."""
    body = load_body(BankFileSchema)
    account, currency = body["account"], body["currency"]
    check_members(g.group, account)
    table = read_table(body["file"], header_required=False)
    notation = Notation(
        currency=currency, date_order=body["date_order"], decimal_sign=body["decimal_sign"]
    )
    try:
        columns = body["columns"] or guess_columns(table)
        lines = read_bank_lines(table, columns, notation)
    except TableRefusal as refusal:
        return table_problem(refusal, describe_columns(table))
    group, sessions = load_current_sessions(group_store(), event_store(), g.group)
    events, members = load_own_events(group.id), group.members
    transfers = list_open_transfers(group, sessions, events, currency)
    by_digest = dict(zip(line_matching.hash_lines(group.id, account, lines), lines, strict=True))
    used = line_approval.used_lines(events)
    unused = {digest: line for digest, line in by_digest.items() if digest not in used}
    matched = line_matching.match_bank_lines([*unused.values()], transfers, account, members)
    balances = balances_in(currency, sessions, events)
    settled_outside = members_settled_outside(events, currency)
    matched = mark_double_payments(matched, balances, settled_outside)
    recorded = list_recorded_payments(sessions, events, event_store().load_events, currency)
    used_in_file = [used[digest] for digest in by_digest if digest in used]
    matched = mark_recorded_payments(group, matched, recorded, used_in_file)
    proposals = dict(zip(unused, matched, strict=True))
    view = preview_view(group, table, columns, by_digest, proposals, used)
    # what somebody has bought: no cache may keep it
    return json_response(view, cache_control="no-store")


@blueprint.get("/<group>/bank-lines")
@requires("viewer")
def list_used_lines() -> Response:
    """Return the lines that are used, the newest first."""
    return content_tagged_response(used_lines_view(g.group, load_own_events(g.group.id)))


@blueprint.post("/<group>/bank-lines")
@requires("host", writes=True)
def approve_bank_lines() -> Response:
    """Record the transfers that these lines show, all or none."""
    approved = load_body(BankLineApprovalsSchema)
    return _reply(
        append_after_sessions(
            lambda db, group, sessions: line_approval.approve_lines(
                db, event_store(), group, sessions, approved
            )
        )
    )


@blueprint.delete("/<group>/bank-lines/<digest:line>")
@requires("host", writes=True)
def release_bank_line(line: str) -> Response:
    """Take an approval back: the transfer is recorded the other way."""
    return _reply(
        append_to_group(
            lambda db, group: line_approval.release_line(db, event_store(), group, line)
        )
    )


def _reply(reply: GroupReply) -> Response:
    """Return the lines that were used after a write."""
    events = load_own_events(reply.group_id)[: reply.moment.events]
    group = group_store().load(reply.group_id)
    return reply_response(reply, used_lines_view(group, events), "/bank-lines")


@blueprint.errorhandler(LineAlreadyUsed)
def _already_used(error: LineAlreadyUsed) -> Response:
    day = to_datetime(error.at).astimezone(ZoneInfo(DEFAULT_TIME_ZONE)).date()
    return problem_response(409, "bank_line_used", None, line=error.line, day=day.isoformat())
