"""A cache of folded sessions, those used last.

A folded session is immutable and its version and hash are compared with the stored head before it
is used, so the cache is safe even after the database was restored and continued differently.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

from ledger.session.session_state import SessionState

MAX_SESSIONS, MAX_EVENTS = 512, 200_000
"""At a kilobyte an event, the cache of a process stays below two hundred megabytes."""


class SnapshotCache:
    """The sessions used last. Threads may share one."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[UUID, SessionState] = OrderedDict()
        self._events = 0
        self._lock = Lock()

    def get(self, session_id: UUID) -> SessionState | None:
        with self._lock:
            return self._sessions.get(session_id)

    def put(self, session: SessionState, expected: SessionState | None = None) -> None:
        """Cache a session in place of the `expected` one, unless another thread has cached a later
        version meanwhile. After a restore of the database, an earlier one replaces `expected`."""
        with self._lock:
            before = self._sessions.get(session.id)
            if before is not None and before is not expected and before.version > session.version:
                return
            self._sessions.pop(session.id, None)
            self._events += session.version - (before.version if before else 0)
            self._sessions[session.id] = session
            while len(self._sessions) > MAX_SESSIONS or (
                self._events > MAX_EVENTS and len(self._sessions) > 1  # the newest stays
            ):
                _, oldest = self._sessions.popitem(last=False)
                self._events -= oldest.version
