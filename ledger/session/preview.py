"""Preview a session after events, or a closing, that are not written."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.events import LeftoverPolicy
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import record_events
from ledger.projections.balances import add_changes
from ledger.projections.postings import POT, account_changes, postings_of
from ledger.session.command_handlers import close_session
from ledger.session.session_state import SessionState, fold


def preview(session: SessionState, events: Sequence[LedgerEvent]) -> SessionState:
    """Return the session after these events."""
    recorded = record_events(
        session.id,
        events,
        version=session.version,
        previous_hash=session.hash,
        at=session.at,
        by="",
    )
    return fold(session, recorded)


def preview_closing(session: SessionState, policy: LeftoverPolicy | None) -> SessionState:
    """Return the session at its version with the amounts of its closing booked. Raise
    SessionClosed, DealIsOpen, LeftoversToPlayFor."""
    facts = close_session(session, policy)
    changes = account_changes(line for fact in facts for line in postings_of(fact))
    balances = add_changes(session.balances, changes)
    return replace(session, balances=balances, pot=session.pot + changes.get(POT, 0))
