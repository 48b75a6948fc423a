"""An evening as clients see it (contract.md §2): everything in one document."""

from typing import Any

import msgspec

from engine import evening as evenings
from engine.values import Player
from ledger import codec
from ledger.envelope import Recorded
from ledger.projections.payments import Payment
from ledger.session import Session
from ledger.times import iso

Names = dict[Player, str | None]


def state(session: Session, title: str | None, names: Names) -> dict[str, Any]:
    """The whole representation, legal actions and all."""
    opening, table, game = session.opening, session.table, session.game
    view = game.view(table.table)
    return {
        "id": str(session.id),
        "game": opening.game,
        "title": title,
        "options": msgspec.to_builtins(session.options),
        "currency": opening.currency,
        "players": [{"id": p, "name": name_of(p, names)} for p in table.players],
        "seats": list(table.seats),
        "version": session.version,
        "status": session.status,
        "deal": {
            "number": table.number if table.open else table.next_number,
            "dealer": table.dealer,
            "phase": view.phase if view else "waiting",
            **(_visible(msgspec.to_builtins(view)) if view else {}),
        },
        "pot": pot(session),
        "bets": bets(session),
        "amount_played_for": view.played_for if view else None,
        "balances": balances(session),
        "payments": [payment(p) for p in session.payments.values()],
        **sheet(session),
        **_between(session),
        "legal_actions": legal(session),
    }


def _between(session: Session) -> dict[str, Any]:
    """Which evening this one goes on from, and which goes on from it; said only if there is one."""
    said = {"brought_from": session.brought and session.brought.session}
    said["carried_to"] = session.carried_to
    return {key: other for key, other in said.items() if other}


def pot(session: Session) -> int | None:
    """What lies in the pot; a game for points has none."""
    return None if session.sheet else session.pot


def balances(session: Session) -> dict[Player, int] | None:
    """Settled money of every player; none where it is played for points alone."""
    return dict(session.balances) if session.for_money else None


def sheet(session: Session) -> dict[str, Any]:
    """Points of players or sides, and who has won; nothing in a game for money."""
    kept = session.sheet
    if kept is None:
        return {"scores": None, "winner": None}
    return {
        "scores": dict(kept.scores),
        **({"overtricks": dict(kept.overtricks)} if kept.overtricks else {}),
        "winner": list(kept.winners) or None,
    }


def _visible(view: dict[str, Any]) -> dict[str, Any]:
    view.pop("played_for", None)
    if "cards" in view:
        view["cards"] = [{"player": player, "card": card} for player, card in view["cards"]]
    return view


def name_of(player: Player, names: Names) -> str:
    """His name, or `Spelare 3` when it has been erased (contract.md §5)."""
    return names.get(player) or f"Spelare {player[1:]}"


def bets(session: Session) -> list[dict[str, Any]] | None:
    """Outstanding bets, in the order they are played for; a game for points has none."""
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
        for bet in session.game.bets(session.options, session.table.table)
    ]


def payment(leg: Payment) -> dict[str, Any]:
    return {
        "id": leg.id,
        "deal": leg.deal,
        "from": leg.payer,
        "to": leg.payee,
        "amount": leg.amount,
        "status": leg.status,
        **({"reverses": leg.reverses} if leg.reverses else {}),
    }


def legal(session: Session) -> list[dict[str, Any]]:
    options = evenings.legal(session.game, session.options, session.table, session.funds)
    return [
        {"type": option.type, "fields": option.fields, "optional": list(option.optional)}
        for option in options
    ]


def event(recorded: Recorded) -> dict[str, Any]:
    return {
        "version": recorded.version,
        "type": recorded.type,
        "at": iso(recorded.at),
        "by": recorded.by,
        "data": codec.as_json(recorded.data),
        "hash": recorded.hash.hex(),
    }


def receipt(version: int, digest: bytes, at: int) -> dict[str, Any]:
    return {"version": version, "hash": digest.hex(), "at": iso(at)}
