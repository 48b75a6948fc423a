"""Preview what a session would come to after events that are not written."""

from collections.abc import Sequence

from engine.values import Amount, Player
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import record_events
from ledger.session.session_state import SessionState, fold


def preview(session: SessionState, entries: Sequence[LedgerEvent]) -> SessionState:
    """Return the session after these events."""
    recorded = record_events(
        session.id,
        entries,
        version=session.version,
        previous_hash=session.hash,
        at=session.at,
        by="",
    )
    return fold(session, recorded)


def balance_changes(before: SessionState, after: SessionState) -> dict[Player, Amount]:
    """Return each player's gain or loss, counting payments that are due as paid."""
    return {player: after.funds(player) - before.funds(player) for player in after.balances}
