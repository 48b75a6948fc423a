"""Folded evenings that were needed lately, so that they need not be folded again.

A folded session is immutable and checked by version and seal before it is used, so that keeping it
can only save time: also when the database has been set back and has gone another way since.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

from ledger.session.session_state import SessionState

MAX_SESSIONS, MAX_EVENTS = 512, 200_000
"""A kilobyte an event: what a process remembers stays below two hundred megabytes."""


class SnapshotCache:
    """The evenings used last. Threads may share one."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[UUID, SessionState] = OrderedDict()
        self._events = 0
        self._lock = Lock()

    def get(self, session_id: UUID) -> SessionState | None:
        with self._lock:
            return self._sessions.get(session_id)

    def put(self, session: SessionState, expected: SessionState | None = None) -> None:
        """Remember it in the place of what was `expected` to be remembered: whoever has meanwhile
        put a later one there knows better. An earlier one comes of a database that was set back."""
        with self._lock:
            before = self._sessions.get(session.id)
            if before is not None and before is not expected and before.version > session.version:
                return
            self._sessions.pop(session.id, None)
            self._events += session.version - (before.version if before else 0)
            self._sessions[session.id] = session
            while len(self._sessions) > MAX_SESSIONS or (
                self._events > MAX_EVENTS and len(self._sessions) > 1  # this one, however long
            ):
                _, oldest = self._sessions.popitem(last=False)
                self._events -= oldest.version
