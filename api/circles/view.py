"""A circle as clients see it: its members, its evenings, and what the next one could go on with."""

from typing import Any

from api import access, links
from api.access import Role
from api.state import bets as bets_of
from ledger import gathering
from ledger.circles import Circle, Evening, Member
from ledger.session import Session
from ledger.store import Store
from ledger.times import iso


def circle_view(circle: Circle, store: Store, secret: bytes, role: Role) -> dict[str, Any]:
    """The whole representation, with the reader's own way into each evening."""
    return {
        "id": str(circle.id),
        "name": circle.name,
        "members": [{"id": m, "name": called(m, circle)} for m in circle.members],
        "evenings": [
            evening_view(evening, store.read(evening.session_id), secret, role)
            for evening in circle.evenings
        ],
        "to_carry": _to_carry(circle, store),
    }


def called(member: Member, circle: Circle) -> str:
    """His name, or `Medlem 3` when it has been erased."""
    return circle.members.get(member) or f"Medlem {member[1:]}"


def evening_view(evening: Evening, session: Session, secret: bytes, role: Role) -> dict[str, Any]:
    token = access.token(secret, session.id, role, evening.generations[access.ROLES.index(role)])
    return {
        "number": evening.number,
        "session": str(session.id),
        "title": evening.title,
        "game": session.opening.game,
        "currency": session.opening.currency,
        "status": session.status,
        "version": session.version,
        "begun_at": iso(session.begun),
        "last_at": iso(session.at),
        "deals": session.table.number,
        "members": evening.members,
        "brought_from": session.brought.session if session.brought else None,
        "carried_to": session.carried_to,
        "path": links.path("s", session.id, token),
    }


def _to_carry(circle: Circle, store: Store) -> dict[str, Any] | None:
    """What an earlier evening left open; `ready` once that evening is closed."""
    found = gathering.to_carry(store, circle)
    if found is None:
        return None
    evening, session = found
    owed = {p: amount for p, amount in session.balances.items() if amount}
    return {
        "session": str(session.id),
        "number": evening.number,
        "game": session.opening.game,
        "currency": session.opening.currency,
        "ready": session.status == "closed",
        "pot": session.pot,
        "bets": [
            {**bet, "by": [evening.members.get(p, p) for p in bet["by"]]}
            for bet in bets_of(session) or ()
        ],
        "balances": {evening.members.get(p, p): amount for p, amount in owed.items()},
    }
