"""What an append writes: built from a decision, before any statement is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ledger.events.recorded_event import RecordedEvent, record_events
from ledger.projections.journal import JournalLine
from ledger.projections.la_vola_payments import due_payments
from ledger.session.session_state import SessionState, apply_events
from ledger.store.append_request import AppendRequest, Decision, PlayerName, StoredReply


class Changes(NamedTuple):
    """What changes with an append: the session before and after it, and all rows to write."""

    before: SessionState
    after: SessionState
    recorded: tuple[RecordedEvent, ...]
    lines: Iterable[JournalLine]
    names: Sequence[PlayerName] = ()
    remarks: Sequence[tuple[int, str]] = ()
    request: AppendRequest | None = None


def build_changes(
    before: SessionState, decision: Decision, now: int, request: AppendRequest | None
) -> Changes:
    """Return the session after a decision, its recorded events and the journal's new lines. Without
    a request, the worker has decided."""
    recorded = record_events(
        before.id,
        decision.events,
        version=before.version,
        previous_hash=before.hash,
        at=max(now, before.at),  # a clock that was set back must not reverse history
        by=request.by if request else "worker",
    )
    session, lines = apply_events(before, recorded)
    remarks = ((session.version, decision.remark),) if decision.remark else ()
    return Changes(before, session, recorded, lines, decision.names, remarks, request)


def new_reply(changes: Changes) -> StoredReply:
    """Return the reply that is stored with the changes."""
    assert changes.request is not None, "the worker needs no reply"
    return StoredReply(
        session_id=changes.after.id,
        status=changes.request.status,
        version=changes.after.version,
        event_count=len(changes.recorded),
    )


def has_due_payments(changes: Changes) -> bool:
    """Return whether a worker has payments to settle after these changes."""
    before, after = changes.before.payments, changes.after.payments
    return after is not before and bool(due_payments(after))
