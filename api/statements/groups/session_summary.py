"""What a group's statement keeps of each session: a folded session with all its deals is large, and
a group may have hundreds.
"""

from collections.abc import Iterator, Mapping

import msgspec

from engine.values import Amount, Player
from ledger.groups import groups
from ledger.groups.groups import Group
from ledger.reporting.posting_reasons import RuleReferences
from ledger.session.session_state import SessionState
from ledger.store.event_store import EventStore


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A session for money, at one version."""

    group_session: groups.GroupSession
    game_key: str
    game: str
    currency: str
    opened_at: int
    updated_at: int
    status: str
    version: int
    head_hash: str
    rules: RuleReferences
    carried_from: str | None
    carried_to: str | None
    results: Mapping[Player, Amount]
    balances: Mapping[Player, Amount]  # what the session moved, without what it carried forward


def summarize_sessions(
    group: Group, store: EventStore, end: int, as_of: int | None = None
) -> list[SessionSummary]:
    """Return the sessions for money that began before `end`, the oldest first, in every currency:
    as they stand, or as they stood at a time (both in microseconds)."""
    summaries = _summaries(group, store, end, as_of)
    return sorted(summaries, key=lambda summary: (summary.opened_at, summary.group_session.number))


def _summaries(
    group: Group, store: EventStore, end: int, as_of: int | None
) -> Iterator[SessionSummary]:
    for group_session in group.sessions:
        version = None
        if as_of is not None:
            version = store.version_at(group_session.session_id, as_of)
            if version is None:
                continue  # it had not begun
        session = store.load(group_session.session_id, version)
        if session.is_for_money and session.opened_at < end:
            yield _summary(group_session, session)


def _summary(group_session: groups.GroupSession, session: SessionState) -> SessionSummary:
    carried = session.brought_forward.balances if session.brought_forward else {}
    return SessionSummary(
        group_session=group_session,
        game_key=session.opening.game,
        game=session.game.name,
        currency=session.opening.currency,
        opened_at=session.opened_at,
        updated_at=session.at,
        status=session.status,
        version=session.version,
        head_hash=session.hash.hex(),
        rules=session.rule_references,
        carried_from=session.brought_forward.session if session.brought_forward else None,
        carried_to=session.carried_to,
        results={player: session.result(player) for player in session.balances},
        balances={
            player: balance - carried.get(player, 0) for player, balance in session.balances.items()
        },
    )
