"""The settlement of a session: who is to pay whom, and what one player has paid another.

A transfer of the plan can be had as a QR code that a bank's app reads. The number or account comes
with the request and is stored nowhere; the amount comes from the plan. A scanned code does not
record the transfer: people do (`POST …/transfers`).
"""

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.problems import Problem
from api.http.query_parameters import integer_parameter, parameter_error
from api.http.responses import json_response, worded_response
from api.http.session_request import append, prepare_refusals, read_session
from api.i18n.translator import request_translator
from api.representations.qr import svg
from api.representations.session import append_response
from api.representations.settlement import MAX_CENTS, epc_text, settlement_view, swish_text
from api.schemas.fields import Choice, Label, field_parameter
from api.schemas.session import LEFTOVER_POLICY
from api.schemas.settlement import Iban, SwishNumber, TransferSchema, requested_treasurer
from api.schemas.strict import load_body
from engine.values import Amount
from ledger.groups.bank_lines.open_transfers import DEFAULT_MESSAGE
from ledger.reporting.payment_plan import plan_transfers
from ledger.session import command_handlers
from ledger.session.preview import preview_closing
from ledger.store.append_request import Decision

blueprint = Blueprint("settlement", __name__, url_prefix="/v1/sessions")

CURRENCY = {"swish": "SEK", "epc": "EUR"}
"""The kinds of codes, each with the currency that it is for."""
MESSAGE_CHARACTERS = {"swish": 50, "epc": 70}
NAME_CHARACTERS = 70


@blueprint.get("/<session>/settlement")
@requires("viewer")
def show_settlement() -> Response:
    """Return the fewest transfers that bring every balance to zero, or all `?through=` one player.

    What still lies in the pot and on bets belongs to no player yet; it is paid to the pot. With
    `?leftover_policy=`: as if the session were closed now with that policy.
    """
    session, policy = read_session(), field_parameter("leftover_policy", LEFTOVER_POLICY)
    if policy is not None:
        prepare_refusals(session)
        session = preview_closing(session, policy)
    translator = request_translator(g.names)
    treasurer = requested_treasurer(session)
    view = {
        **settlement_view(session, treasurer, translator),
        **({"leftover_policy": policy} if policy else {}),
        **({"carried_to": session.carried_to} if session.carried_to else {}),
        "payments_due": sum(payment.status == "due" for payment in session.payments.values()),
        "version": session.version,
    }
    return worded_response(session, view)


@blueprint.post("/<session>/transfers")
@requires("scorer", writes=True)
def record_transfer() -> Response:
    """Record what one player has paid another outside the game."""
    transfer = load_body(TransferSchema)
    transfer.pop("why", None)
    result = append(
        lambda session: Decision(events=command_handlers.record_transfer(session, **transfer))
    )
    return append_response(result)


@blueprint.get("/<session>/settlement/<payer>/<payee>/qr")
@requires("viewer")
def show_payment_code(payer: str, payee: str) -> Response:
    """Return the code of one planned transfer, for the payer to scan."""
    kind = field_parameter("kind", Choice(tuple(CURRENCY), required=True))
    session = read_session()
    g.currency = session.opening.currency
    if g.currency != CURRENCY[kind]:
        raise Problem(409, "wrong_currency", kind=kind, currency=g.currency, needed=CURRENCY[kind])
    transfers = plan_transfers(session, requested_treasurer(session))
    planned = {(transfer.payer, transfer.payee): transfer.amount for transfer in transfers}
    planned_amount = planned.get((payer, payee))
    if planned_amount is None or not {payer, payee} <= set(session.table.players):
        raise Problem(404, "transfer_not_planned", payer=payer, payee=payee)
    amount = integer_parameter("amount", planned_amount, 1, min(planned_amount, MAX_CENTS))
    text = _code_text(kind, amount, g.metadata.title or DEFAULT_MESSAGE)
    view = {
        "kind": kind,
        "from": payer,
        "to": payee,
        "amount": amount,
        "currency": g.currency,
        "text": text,
        "qr": svg(text.encode()),
    }
    # it contains a phone number or an account: no cache may keep it
    return json_response({**view, "version": session.version}, cache_control="no-store")


def _code_text(kind: str, amount: Amount, title: str) -> str:
    message = field_parameter(
        "message", Label(max_characters=MESSAGE_CHARACTERS[kind], load_default=title)
    )
    if kind == "swish":
        return swish_text(field_parameter("number", SwishNumber), amount, message)
    name = field_parameter("name", Label(max_characters=NAME_CHARACTERS, required=True))
    account = field_parameter("iban", Iban)
    try:
        return epc_text(name, account, amount, message)
    except ValueError as error:
        raise parameter_error("message", error.args[0]) from None
