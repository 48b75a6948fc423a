"""Folded evenings that were needed lately, so that they need not be folded again.

A folded session is immutable and checked by version and seal before it is used, so that keeping it
can only save time: also when the database has been set back and has gone another way since.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

from ledger.session import Session

MOST, MOST_EVENTS = 512, 200_000
"""A kilobyte an event: what a process remembers stays below two hundred megabytes."""


class Known:
    """The evenings used last. Threads may share one."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[UUID, Session] = OrderedDict()
        self._events = 0
        self._lock = Lock()

    def get(self, session_id: UUID) -> Session | None:
        with self._lock:
            return self._sessions.get(session_id)

    def keep(self, session: Session) -> None:
        with self._lock:
            before = self._sessions.pop(session.id, None)
            self._events += session.version - (before.version if before else 0)
            self._sessions[session.id] = session
            while len(self._sessions) > MOST or (
                self._events > MOST_EVENTS and len(self._sessions) > 1  # this one, however long
            ):
                _, oldest = self._sessions.popitem(last=False)
                self._events -= oldest.version
