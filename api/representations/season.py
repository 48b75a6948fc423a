"""The representation of a season: every member's numbers, and the results session by session."""

from typing import Any

import msgspec

from api.http.query_parameters import Period
from api.representations.group import member_name
from ledger.events.timestamps import format_timestamp
from ledger.groups.groups import Group, GroupSession
from ledger.reporting.season_stats import SessionStats, compute_season_stats
from ledger.store.event_store import EventStore


def season_view(group: Group, store: EventStore, period: Period) -> dict[str, Any]:
    """Return the season over the sessions that began in the period, the oldest first."""
    pairs = [(played, store.load(played.session_id)) for played in group.sessions]
    sessions = sorted(
        (pair for pair in pairs if period.starts_at <= pair[1].opened_at < period.ends_at),
        key=lambda pair: (pair[1].opened_at, pair[0].number),
    )
    stats = compute_season_stats(
        group.members, [(session, played.members) for played, session in sessions]
    )
    return {
        "circle": str(group.id),
        "members": [
            {"id": member, "name": member_name(member, group), **msgspec.to_builtins(tally)}
            for member, tally in stats.members.items()
        ],
        "evenings": [
            _season_session_view(played, results)
            for (played, _), results in zip(sessions, stats.sessions, strict=True)
        ],
    }


def _season_session_view(played: GroupSession, stats: SessionStats) -> dict[str, Any]:
    session = stats.session
    return {
        "number": played.number,
        "session": str(session.id),
        "title": played.title,
        "game": session.opening.game,
        "begun_at": format_timestamp(session.opened_at),
        "status": session.status,
        "currency": session.opening.currency if session.is_for_money else None,
        "results": stats.results,
        "totals": stats.totals,
        "on_table": stats.left_on_table,
        "scores": dict(session.sheet.scores) if session.sheet else None,
        "members": played.members,
    }
