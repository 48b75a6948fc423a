"""The representation of a session, and of a write to it: everything in one document."""

from typing import Any

import msgspec
from flask import Response, g

from api.auth.roles import Role
from api.http.app_state import event_store, session_metadata
from api.http.responses import prefers_minimal, reply_response
from api.i18n.translator import Names
from engine.session.legal import legal_actions
from engine.values import Player
from ledger.events.recorded_event import RecordedEvent
from ledger.events.timestamps import format_timestamp
from ledger.projections.costs import Cost
from ledger.projections.la_vola_payments import Payment
from ledger.reporting.payment_plan import Transfer
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendResult, StoredReply


def session_view(session: SessionState, title: str | None, names: Names) -> dict[str, Any]:
    """Return the whole session, legal actions included."""
    opening, table = session.opening, session.table
    view = table.game_state.phase.view()
    return {
        "id": str(session.id),
        "game": opening.game,
        "title": title,
        "options": msgspec.to_builtins(session.options),
        "currency": opening.currency,
        "players": [{"id": p, "name": player_name(p, names)} for p in table.players],
        "seats": list(table.seats),
        "version": session.version,
        "status": session.status,
        "deal": {
            "number": table.deal_number if table.deal_is_open else table.next_number,
            "dealer": table.dealer,
            "phase": view.phase if view else "waiting",
            **(_deal_state_view(msgspec.to_builtins(view)) if view else {}),
        },
        "pot": pot_view(session),
        "bets": bets_view(session),
        "amount_played_for": view.played_for if view else None,
        "balances": balances_view(session),
        "results": results_view(session),
        "payments": [payment_view(p) for p in session.payments.values()],
        **scores_view(session),
        **costs_view(session),
        **({"carried_from": session.brought_forward.session} if session.brought_forward else {}),
        **({"carried_to": session.carried_to} if session.carried_to else {}),
        **_closure_view(session),
        "legal_actions": legal_actions_view(session),
    }


def _closure_view(session: SessionState) -> dict[str, Any]:
    """Return how a session was closed, and whether it can still be reopened."""
    ending = session.table.closing
    if ending is None or ending.policy is None:
        return {}
    return {"closure": {"leftover_policy": ending.policy, "reopenable": session.can_reopen}}


def pot_view(session: SessionState) -> int | None:
    """Return what lies in the pot; None in a game for points."""
    return None if session.sheet else session.pot


def balances_view(session: SessionState) -> dict[Player, int] | None:
    """Return the settled money of every player; None where only points are played for."""
    return dict(session.balances) if session.is_for_money else None


def results_view(session: SessionState) -> dict[Player, int] | None:
    """Return what every player won or lost, leftovers included, whatever was paid since."""
    return {p: session.result(p) for p in session.balances} if session.is_for_money else None


def scores_view(session: SessionState) -> dict[str, Any]:
    """Return the points of players or sides, and who has won; both None in a game for money."""
    score_sheet = session.sheet
    if score_sheet is None:
        return {"scores": None, "winner": None}
    return {
        "scores": dict(score_sheet.scores),
        **({"overtricks": dict(score_sheet.overtricks)} if score_sheet.overtricks else {}),
        "winner": list(score_sheet.winners) or None,
    }


def costs_view(session: SessionState) -> dict[str, Any]:
    """Return the shared costs, if there are any. What they were for is not among it: names could
    be in it, and a name may be erased."""
    if not session.costs:
        return {}
    return {"costs": [cost_summary_view(cost) for cost in session.costs.values()]}


def cost_summary_view(cost: Cost) -> dict[str, Any]:
    """Return a cost as it was recorded last."""
    return {
        "number": cost.number,
        "payer": cost.fact.payer,
        "amount": cost.fact.amount,
        "shares": msgspec.to_builtins(cost.fact.shares),
        "status": "voided" if cost.voided else "recorded",
    }


def _deal_state_view(view: dict[str, Any]) -> dict[str, Any]:
    view.pop("played_for", None)
    if "cards" in view:
        view["cards"] = [{"player": player, "card": card} for player, card in view["cards"]]
    return view


def player_name(player: Player, names: Names) -> str:
    """Return the player's name, or `Spelare 3` if it has been erased."""
    return names.get(player) or f"Spelare {player[1:]}"


def bets_view(session: SessionState) -> list[dict[str, Any]] | None:
    """Return the outstanding bets, in the order they are played for; None in a game for points."""
    if session.sheet:
        return None
    claims = any(not bet.paid for bet in session.bets)
    return [
        {
            "id": f"b{bet.number}",
            "amount": bet.amount,
            "by": list(bet.by),
            "deal": bet.deal,
            **({"paid": bet.paid} if claims else {}),
        }
        for bet in session.game.bets(session.table.game_state)
    ]


def transfer_view(transfer: Payment | Transfer) -> dict[str, Any]:
    return {"from": transfer.payer, "to": transfer.payee, "amount": transfer.amount}


def payment_view(payment: Payment) -> dict[str, Any]:
    return {
        "id": payment.id,
        "deal": payment.deal,
        **transfer_view(payment),
        "status": payment.status,
        **({"reverses": payment.reverses} if payment.reverses else {}),
    }


def legal_actions_view(session: SessionState) -> list[dict[str, Any]]:
    options = legal_actions(session.table, session.funds)
    return [
        {
            "type": option.type,
            "fields": option.fields,
            "optional": list(option.optional),
            **({"takes_back": option.undo_target} if option.undo_target else {}),
        }
        for option in options
    ]


def event_view(recorded: RecordedEvent) -> dict[str, Any]:
    return {
        "version": recorded.version,
        "type": recorded.type,
        "at": format_timestamp(recorded.at),
        "by": recorded.by,
        "data": msgspec.json.decode(recorded.data),
        "hash": recorded.hash.hex(),
    }


def append_response(result: AppendResult, **fields: Any) -> Response:
    """Return the events, the session and the receipt of an append, after `fields`; only `fields`
    and the receipt to a client that prefers little."""
    session = result.session
    receipt = {
        "version": session.version,
        "hash": session.hash.hex(),
        "at": format_timestamp(session.at),
    }
    receipt_path = f"/receipts/{session.version}"
    if prefers_minimal():
        response = reply_response(result.reply, {**fields, "receipt": receipt}, receipt_path)
        response.headers["Preference-Applied"] = "return=minimal"
        return response
    view = {
        **fields,
        "events": [event_view(event) for event in result.recorded],
        "session": session_view(session, g.metadata.title, result.names),
        "receipt": receipt,
    }
    return reply_response(result.reply, view, receipt_path)


def creation_response(reply: StoredReply, tokens: dict[Role, str]) -> Response:
    """Return a session as it stood when it was opened or imported, under today's names."""
    session = event_store().load(reply.session_id, reply.version)
    metadata = session_metadata().load(reply.session_id)
    view = session_view(session, metadata.title, metadata.names)
    return reply_response(reply, {**view, "tokens": tokens})
