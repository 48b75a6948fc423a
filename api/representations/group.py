"""The representation of a group: members, sessions, and what the next session could go on with."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from api.auth.roles import ROLES, Role
from api.auth.tokens import derive_token
from api.representations.session import bets_view
from api.representations.share_links import share_path
from ledger.events.timestamps import format_timestamp
from ledger.groups.groups import Group, GroupSession, Member
from ledger.groups.open_session import session_to_carry_forward
from ledger.session.session_state import SessionState

Read = Callable[[UUID], SessionState]


def group_view(group: Group, read: Read) -> dict[str, Any]:
    """Return the whole group but for the paths of its sessions, whose tokens are never stored."""
    return {
        "id": str(group.id),
        "name": group.name,
        "members": [{"id": member, "name": member_name(member, group)} for member in group.members],
        "evenings": [
            _group_session_view(session, read(session.session_id)) for session in group.sessions
        ],
        "to_carry": _to_carry_view(group, read),
    }


def with_session_paths(
    view: dict[str, Any], group: Group, secret: bytes, role: Role
) -> dict[str, Any]:
    """Return the view with a path to each session, with a token of this role in it."""
    place = ROLES.index(role)
    paths = {
        str(session.session_id): share_path(
            "s",
            session.session_id,
            derive_token(secret, session.session_id, role, session.generations[place]),
        )
        for session in group.sessions
    }
    sessions = [{**session, "path": paths[session["session"]]} for session in view["evenings"]]
    return {**view, "evenings": sessions}


def member_name(member: Member, group: Group) -> str:
    """Return the member's name, or `Medlem 3` if it has been erased."""
    return group.members.get(member) or f"Medlem {member[1:]}"


def _group_session_view(group_session: GroupSession, session: SessionState) -> dict[str, Any]:
    return {
        "number": group_session.number,
        "session": str(session.id),
        "title": group_session.title,
        "game": session.opening.game,
        "currency": session.opening.currency,
        "status": session.status,
        "version": session.version,
        "begun_at": format_timestamp(session.opened_at),
        "last_at": format_timestamp(session.at),
        "deals": session.table.deal_number,
        "members": group_session.members,
        "brought_from": session.brought_forward.session if session.brought_forward else None,
        "carried_to": session.carried_to,
    }


def _to_carry_view(group: Group, read: Read) -> dict[str, Any] | None:
    """Return what an earlier session left open; `ready` once that session is closed."""
    open_session = session_to_carry_forward(group, read)
    if open_session is None:
        return None
    group_session, session = open_session
    members = group_session.members
    return {
        "session": str(session.id),
        "number": group_session.number,
        "game": session.opening.game,
        "currency": session.opening.currency,
        "ready": session.status == "closed",
        "pot": session.pot,
        "bets": [
            {**bet, "by": [members.get(player, player) for player in bet["by"]]}
            for bet in bets_view(session) or ()
        ],
        "balances": {
            members.get(player, player): amount
            for player, amount in session.balances.items()
            if amount
        },
    }
