"""The representation of a group: members, sessions, and what the next session could go on with;
and of its season: every member's numbers, and the results session by session."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import msgspec
from flask import Response

from api.auth.roles import ROLES, Role
from api.auth.tokens import derive_token
from api.http.app_state import event_store, group_store, token_secret
from api.http.query_parameters import Period
from api.http.responses import reply_response
from api.representations.session import bets_view
from api.representations.share_links import share_path
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp
from ledger.groups.current_sessions import load_current_sessions
from ledger.groups.group_event_log import load_group_events
from ledger.groups.group_events import RecordedGroupEvent
from ledger.groups.groups import Group, GroupSession
from ledger.groups.open_balances import PlayedSession, fold_open_balances, limit_to_open_balance
from ledger.groups.open_session import session_to_carry_forward
from ledger.groups.past_group import group_at
from ledger.groups.stored_replies import GroupReply
from ledger.reporting.head_to_head import compute_head_to_head
from ledger.reporting.season_stats import SessionStats, compute_season_stats
from ledger.session.session_state import SessionState

Read = Callable[[UUID], SessionState]


def group_view(group: Group, read: Read, role: Role) -> dict[str, Any]:
    """Return the whole group, with a path to each session that has a token of this role in it."""
    return {
        "id": str(group.id),
        "name": group.name,
        "members": [member_view(member, group) for member in group.members],
        "sessions": [_group_session_view(s, read(s.session_id), role) for s in group.sessions],
        "carry_forward": _carry_forward_view(group, read),
    }


def group_response(reply: GroupReply, **fields: Any) -> Response:
    """Return the group as it stood after a write, under today's names and links, and `fields`."""
    group, read = group_after(reply)
    return reply_response(reply, {**group_view(group, read, "viewer"), **fields})


def group_after(reply: GroupReply) -> tuple[Group, Read]:
    """Return the group as it stood after a write, under today's names, and a function that reads
    its sessions as they stood then."""
    versions = {moment.session: moment.version for moment in reply.moment.sessions}
    group = group_at(group_store().load(reply.group_id), reply.moment)
    return group, lambda session: event_store().load(session, versions[session])


def load_own_events(group_id: UUID) -> tuple[RecordedGroupEvent, ...]:
    """Return the events of the group itself, without those of its sessions."""
    with group_store().pool.connection() as db:
        return load_group_events(db, group_id)


def member_view(member: Member, group: Group) -> dict[str, Any]:
    """Return a member; `has_left` only for one who has left the group."""
    has_left = {"has_left": True} if member in group.former_members else {}
    return {"id": member, "name": member_name(member, group), **has_left}


def member_name(member: Member, group: Group) -> str:
    """Return the member's name, or `Medlem 3` if it has been erased."""
    return group.members.get(member) or f"Medlem {member[1:]}"


def _group_session_view(
    group_session: GroupSession, session: SessionState, role: Role
) -> dict[str, Any]:
    generation = group_session.generations[ROLES.index(role)]
    token = derive_token(token_secret(), session.id, role, generation)
    return {
        "number": group_session.number,
        "session": str(session.id),
        "title": group_session.title,
        "game": session.opening.game,
        "currency": session.opening.currency,
        "status": session.status,
        "version": session.version,
        "created_at": format_timestamp(session.opened_at),
        "updated_at": format_timestamp(session.at),
        "deals": session.table.deal_number,
        "members": group_session.members,
        "carried_from": session.brought_forward.session if session.brought_forward else None,
        "carried_to": session.carried_to,
        "path": share_path("s", session.id, token),
    }


def _carry_forward_view(group: Group, read: Read) -> dict[str, Any] | None:
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
        "balances": {members.get(p, p): x for p, x in session.balances.items() if x},
    }


def season_view(group: Group, period: Period) -> dict[str, Any]:
    """Return the season over the sessions that began in the period, the oldest first."""
    group, all_sessions = load_current_sessions(group_store(), event_store(), group)
    sessions = _sessions_in_period(all_sessions, period)
    stats = compute_season_stats(
        group.members, [(s, group_session.members) for group_session, s in sessions]
    )
    events = load_own_events(group.id)
    balances = fold_open_balances(all_sessions, events)
    return {
        "group": str(group.id),
        "members": [
            {
                "id": member,
                "name": member_name(member, group),
                **msgspec.to_builtins(tally),
                "open": limit_to_open_balance(member, tally.open, balances, events),
            }
            for member, tally in stats.members.items()
        ],
        "sessions": [
            _season_session_view(group_session, results)
            for (group_session, _), results in zip(sessions, stats.sessions, strict=True)
        ],
    }


def head_to_head_view(group: Group, period: Period) -> dict[str, Any]:
    """Return who beats whom over the sessions that began in the period."""
    group, all_sessions = load_current_sessions(group_store(), event_store(), group)
    sessions = _sessions_in_period(all_sessions, period)
    numbers = {str(group_session.session_id): group_session.number for group_session, _ in sessions}
    head_to_head = compute_head_to_head(
        group.members, [(s, group_session.members) for group_session, s in sessions]
    )
    return {
        "group": str(group.id),
        "members": [{"id": m, "name": member_name(m, group)} for m in group.members],
        **msgspec.to_builtins(head_to_head),
        "la_volas": [
            {
                **msgspec.to_builtins(la_vola),
                "number": numbers[la_vola.session],
                "at": format_timestamp(la_vola.at),
            }
            for la_vola in head_to_head.la_volas
        ],
    }


def _sessions_in_period(sessions: Iterable[PlayedSession], period: Period) -> list[PlayedSession]:
    """Return the sessions that began in the period, the oldest first."""
    return sorted(
        (pair for pair in sessions if period.starts_at <= pair[1].opened_at < period.ends_at),
        key=lambda pair: (pair[1].opened_at, pair[0].number),
    )


def _season_session_view(group_session: GroupSession, stats: SessionStats) -> dict[str, Any]:
    session = stats.session
    return {
        "number": group_session.number,
        "session": str(session.id),
        "title": group_session.title,
        "game": session.opening.game,
        "created_at": format_timestamp(session.opened_at),
        "status": session.status,
        "currency": session.opening.currency if session.is_for_money else None,
        "results": stats.results,
        "totals": stats.totals,
        "on_table": stats.left_on_table,
        "scores": dict(session.sheet.scores) if session.sheet else None,
        "members": group_session.members,
    }
