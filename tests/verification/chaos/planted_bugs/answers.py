"""Bugs of repeated requests, of reads, and of the projections that are read."""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

from msgspec import structs

from ledger.store import event_store, projection_rows
from ledger.store.event_store import EventStore
from tests.verification.chaos.planted_bugs.registry import Bugs

BUGS = Bugs()


@BUGS.register("doubled", "extra", faults=("cut_reply", "half_reply"))
def no_idempotency_keys() -> None:
    """The key is not looked up: a repeated request is executed again."""

    def without_key(original: Any) -> Any:
        def write_without_key(db: Any, change: Any, *operands: Any) -> Any:
            if change.request is not None:
                request = structs.replace(change.request, key=f"{uuid4()}")
                change = change._replace(request=request)
            return original(db, change, *operands)

        return write_without_key

    event_store.read_reply = lambda *_: None  # type: ignore[assignment]
    event_store.write_changes, event_store.append_if_unchanged = (
        without_key(event_store.write_changes),
        without_key(event_store.append_if_unchanged),
    )


@BUGS.register("doubled", faults=("cut_reply", "half_reply"))
def reply_from_current_state() -> None:
    """A repeated request is answered with the session as it is now, not as it was then."""
    event_store.fold_to_version = lambda _, latest, __: latest  # type: ignore[assignment]


@BUGS.register("order", faults=("cut_reply",))
def stale_reads() -> None:
    """A process shows its cached session, without checking for newer events."""
    original = EventStore.load

    def read(self: EventStore, session_id: Any, at: int | None = None) -> Any:
        cached = self._snapshots.get(session_id)
        if cached is not None and at is None and random.random() < 0.5:
            return cached
        return original(self, session_id, at)

    EventStore.load = read  # type: ignore[method-assign]


@BUGS.register("audit", "rebuild", faults=("cut_reply",))
def missing_projection_row() -> None:
    """Now and then a projection is not written."""
    original = projection_rows.row_changes

    def changes(before: Any, after: Any, lines: Any) -> Any:
        return original(before, after, lines if random.random() > 0.1 else lines[1:])

    projection_rows.row_changes = changes
