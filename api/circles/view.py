"""A circle as clients see it: its members, its evenings, and what the next one could go on with."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from api import access, links
from api.access import Role
from api.state import bets as bets_of
from ledger import gathering
from ledger.circles import Circle, Evening, Member
from ledger.session import Session
from ledger.times import iso

Read = Callable[[UUID], Session]


def circle_view(circle: Circle, read: Read) -> dict[str, Any]:
    """The whole representation but for the ways in, which are never stored."""
    return {
        "id": str(circle.id),
        "name": circle.name,
        "members": [{"id": m, "name": called(m, circle)} for m in circle.members],
        "evenings": [
            evening_view(evening, read(evening.session_id)) for evening in circle.evenings
        ],
        "to_carry": _to_carry(circle, read),
    }


def with_ways_in(view: dict[str, Any], circle: Circle, secret: bytes, role: Role) -> dict[str, Any]:
    """The same with a way into each evening, as wide as this role."""
    ways = {
        str(evening.session_id): access.token(
            secret, evening.session_id, role, evening.generations[access.ROLES.index(role)]
        )
        for evening in circle.evenings
    }
    evenings = [
        {**told, "path": links.path("s", UUID(told["session"]), ways[told["session"]])}
        for told in view["evenings"]
    ]
    return {**view, "evenings": evenings}


def called(member: Member, circle: Circle) -> str:
    """His name, or `Medlem 3` when it has been erased."""
    return circle.members.get(member) or f"Medlem {member[1:]}"


def evening_view(evening: Evening, session: Session) -> dict[str, Any]:
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
    }


def _to_carry(circle: Circle, read: Read) -> dict[str, Any] | None:
    """What an earlier evening left open; `ready` once that evening is closed."""
    found = gathering.to_carry(circle, read)
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
