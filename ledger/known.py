"""Folded evenings that were needed lately, so that they need not be folded again.

A folded session is immutable and checked by version and seal before it is used, so that keeping it
can only save time: also when the database has been set back and has gone another way since.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

from ledger.session import Session

MOST = 512


class Known:
    """The evenings used last. Threads may share one."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[UUID, Session] = OrderedDict()
        self._lock = Lock()

    def get(self, session_id: UUID) -> Session | None:
        with self._lock:
            return self._sessions.get(session_id)

    def keep(self, session: Session) -> None:
        with self._lock:
            self._sessions[session.id] = session
            self._sessions.move_to_end(session.id)
            if len(self._sessions) > MOST:
                self._sessions.popitem(last=False)
