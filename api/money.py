"""Money as it lies: pot, bets, balances, payments, and who pays whom (contract.md §4)."""

from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from flask import Blueprint, Response, current_app, g, request
from marshmallow import ValidationError, fields, validate

from api import access, cursors, words
from api.admission import overloaded
from api.problems import Problem, ShapeWrong
from api.sessions import PlayerId, load, read, shown, store, write
from api.shapes import Exactly, Strict, Whole
from api.state import balances as balances_of
from api.state import bets as bets_of
from api.state import payment
from api.state import pot as pot_of
from engine.events import EveningClosed
from engine.values import MAX_AMOUNT, Player
from ledger import audit, handling, settlement, stuck
from ledger.database import Connection, Pool
from ledger.entries import TransferRecorded
from ledger.postings import POT
from ledger.session import Session
from ledger.settlement import Transfer
from ledger.times import iso
from ledger.writing import UnknownSession, Work

blueprint = Blueprint("money", __name__, url_prefix="/v1/sessions")


class TransferSchema(Strict):
    payer = fields.String(required=True, data_key="from", validate=PlayerId)
    payee = fields.String(required=True, data_key="to", validate=PlayerId)
    amount = Whole(required=True, validate=validate.Range(1, MAX_AMOUNT))
    method = Exactly(
        ("cash", "swish", "mobilepay", "vipps", "bank", "other"), load_default=None, allow_none=True
    )
    why = fields.String(load_only=True, validate=validate.Length(max=500))
    """A line of the plan may be sent back as it stands; its reason is not kept."""


@blueprint.get("/<session>/pot")
@access.requires("viewer")
def pot() -> Response:
    """What lies in the pot."""
    return _shown(lambda session: {"pot": pot_of(session)})


@blueprint.get("/<session>/bets")
@access.requires("viewer")
def bets() -> Response:
    """The stack of bets, in the order they are played for."""
    return _shown(lambda session: {"bets": bets_of(session)})


@blueprint.get("/<session>/balances")
@access.requires("viewer")
def balances() -> Response:
    """Settled money of every player."""
    return _shown(lambda session: {"balances": balances_of(session)})


@blueprint.get("/<session>/payments")
@access.requires("viewer")
def payments() -> Response:
    """La vola payments: due, settled, cancelled; or a page of them."""
    sticks = next(iter(stuck.stuck(store().pool, g.session_id)), None)
    said = {"stuck": {"since": iso(sticks.since), "tries": sticks.tries}} if sticks else {}

    def paged(session: Session) -> dict[str, Any]:
        legs, following = cursors.page("payments", [*session.payments.values()])
        return {"payments": [payment(leg) for leg in legs], **following, **said}

    return _shown(paged)


@blueprint.delete("/<session>/payments/stuck")
@access.requires("scorer")
def retry() -> Response:
    """What could not be settled is tried again at once; nothing is written into the evening."""
    stuck.try_again(store().pool, g.session_id)
    return Response(status=204, headers={"Cache-Control": "private, no-cache"})


@blueprint.get("/<session>/settlement")
@access.requires("viewer")
def settle() -> Response:
    """The fewest transfers that bring every balance to zero, or all `?through=` one person.

    Money still in the pot and on bets belongs to nobody yet; it is paid to the box (`pot`).
    """
    session = read()
    by_way_of, to_settle, speak = treasurer(session), accounts(session), words.speaker()
    fewest = planned(session)
    made = shown(
        {
            "transfers": [
                {
                    "from": line.payer,
                    "to": line.payee,
                    "amount": line.amount,
                    "why": _why(speak, session, line, to_settle, by_way_of),
                }
                for line in (planned(session, by_way_of) if by_way_of else fewest)
            ],
            "through": by_way_of,
            "fewest": len(fewest),
            "left_over": to_settle[POT],
            **({"carried_to": session.carried_to} if session.carried_to else {}),
            "payments_due": sum(p.status == "due" for p in session.payments.values()),
            "version": session.version,
        },
        session.version,
    )
    made.headers["Vary"] = "Accept-Language"
    made.headers["Content-Language"] = speak.language
    return made


def accounts(session: Session) -> dict[Player, int]:
    """What everybody is over or under, and what lies on the table; adds up to zero."""
    return {**session.balances, POT: -sum(session.balances.values())}


def treasurer(session: Session) -> Player | None:
    """Whom all money goes by way of (`?through=`), if somebody is asked for."""
    player = request.args.get("through")
    if player is None:
        return None
    try:
        PlayerId(player)
    except ValidationError as error:
        raise ShapeWrong([{"pointer": "?through", "detail": str(error.messages[0])}]) from None
    if player not in session.table.players:
        raise Problem(404, "unknown_player", player=player)
    return player


def planned(session: Session, by_way_of: Player | None = None) -> tuple[Transfer, ...]:
    """Who pays whom. After the evening the plan made at its close goes on as it is paid."""
    now = accounts(session)
    if session.carried_to:
        return ()  # it is settled where it went on
    if by_way_of is not None:
        return settlement.through(now, by_way_of)
    if not session.table.closed:
        return settlement.transfers(now)
    then = settlement.unpaid(now, _paid_since(session))
    return settlement.transfers(now, begun=settlement.transfers(then))


def _paid_since(session: Session) -> list[TransferRecorded]:
    """Every transfer since the evening closed, read backwards a page at a time."""
    paid, upto = list[TransferRecorded](), session.version
    while upto:
        after = max(0, upto - 64)
        page = [r.event for r in store().events(session.id, after, upto - after)]
        for event in reversed(page):
            if isinstance(event, EveningClosed):
                return paid
            if isinstance(event, TransferRecorded):
                paid.append(event)
        upto = after
    return paid


def _why(
    speak: words.Speaker,
    session: Session,
    line: Transfer,
    to_settle: dict[Player, int],
    by_way_of: Player | None,
) -> str:
    """A transfer explains itself: how the two stand, and what it does about it."""
    currency = session.opening.currency
    said = {
        "payer": speak.name(line.payer, g.names),
        "payee": speak.name(line.payee, g.names),
        "amount": speak.money(line.amount, currency),
        "under": speak.money(abs(to_settle[line.payer]), currency),
        "over": speak.money(abs(to_settle[line.payee]), currency),
    }
    if by_way_of:
        way = "into" if line.payee == by_way_of else "box_by_way" if line.payee == POT else "out"
        return speak(f"settlement.{way}", **said)
    makes = settlement.makes(line, to_settle)
    stand = "box_stands" if line.payee == POT else "stand"
    brings = "to_box" if line.payee == POT and makes in ("payee", "part") else f"makes_{makes}"
    if line.payee == POT and makes == "both":
        brings = "makes_payer"
    return f"{speak(f'settlement.{stand}', **said)}; {speak(f'settlement.{brings}', **said)}."


@blueprint.post("/<session>/transfers")
@access.requires("scorer", writes=True)
def transfer() -> Response:
    """Somebody paid somebody outside the game, and says so."""
    wanted = load(TransferSchema, g.body)
    wanted.pop("why", None)
    return write(lambda session: Work(events=handling.transfer(session, **wanted)))


@blueprint.get("/<session>/audit")
@access.requires("viewer")
def audited() -> Response:
    """The seals, the sums and the projections of this evening, checked now."""
    auditor: Pool = current_app.extensions["auditor"]
    try:
        with ExitStack() as held:
            db = held.enter_context(auditor.connection())
            leader = held.enter_context(_leader(auditor))
            held.enter_context(audit.snapshot(db, leader, waits=False))
            findings = audit.audit(db, g.session_id)
            head = audit.come_to(db, g.session_id)
    except (audit.RebuildGoesOn, audit.FollowerLags):
        raise overloaded() from None
    if head is None:
        raise UnknownSession
    version, seal = head
    return shown(
        {
            "session": str(g.session_id),
            "version": version,
            "hash": seal.hex(),
            "clean": audit.clean(findings),
            "findings": findings,
        },
        version,
    )


def _leader(auditor: Pool) -> AbstractContextManager[Connection | None]:
    """A connection to the book itself, where the auditor may be asking one that follows it."""
    book = store().pool
    return nullcontext() if book is auditor else book.connection()


def _shown(what: Any) -> Response:
    session = read()
    return shown({**what(session), "version": session.version}, session.version)
