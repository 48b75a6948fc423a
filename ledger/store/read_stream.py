"""A session's stored events, read back, and the session that they fold to."""

from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock
from uuid import UUID

from ledger.events import codec
from ledger.events.recorded_event import (
    RecordedEvent,
    UnknownSession,
    UnreadableEvent,
    extends_chain,
)
from ledger.session.session_state import SessionState, fold
from ledger.store.connection_pool import Connection, Pool, autocommit_connection, fetch_value

HEAD = "SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s"
VERSION_AT = """
SELECT version FROM vola.events WHERE session_id = %(session_id)s AND at <= %(moment)s
 ORDER BY version DESC LIMIT 1
"""
EVENTS = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(after)s AND version <= %(upto)s
 ORDER BY version
"""
BATCH_ROWS = 1000
MAX_SESSIONS, MAX_EVENTS = 512, 200_000
"""At a kilobyte an event, the cache of a process stays below two hundred megabytes."""


class SnapshotCache:
    """The folded sessions used last. Threads may share one.

    A folded session is immutable and its version and hash are compared with the stored head before
    it is used, so the cache is safe even after the database was restored and continued differently.
    """

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


class StreamReader:
    """Loads sessions, from a snapshot where there is one. Threads may share one."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._snapshots = SnapshotCache()

    def load(self, session_id: UUID, at: int | None = None) -> SessionState:
        """Return the session as it stands, or as it stood at a version. Raise UnknownSession."""
        snapshot = self._snapshots.get(session_id)
        with autocommit_connection(self.pool) as db:
            head = db.execute(HEAD, {"session_id": session_id}).fetchone()
            if head is None:
                raise UnknownSession
            session = self._fold_to_head(db, session_id, head, snapshot)
            self._snapshots.put(session, snapshot)
            return session if at is None else fold_to_version(db, session, at)

    def version_at(self, session_id: UUID, moment: int) -> int | None:
        """Return the version at a moment (microseconds, UTC); None before the first event."""
        with autocommit_connection(self.pool) as db:
            parameters = {"session_id": session_id, "moment": moment}
            version: int | None = fetch_value(db, VERSION_AT, parameters)
        return version

    def load_events(self, session_id: UUID, after: int, limit: int) -> list[RecordedEvent]:
        """Return the next events after a version, ascending and without gaps."""
        with autocommit_connection(self.pool) as db:
            return list(read_stream(db, session_id, after, after + limit))

    def _fold_to_head(
        self,
        db: Connection,
        session_id: UUID,
        head: tuple[int, bytes],
        snapshot: SessionState | None,
    ) -> SessionState:
        """Return the session at a head that is committed, or locked by this transaction. The
        snapshot was taken before the head was read, or under the lock, so it cannot be newer."""
        version, digest = head
        session = snapshot or SessionState(id=session_id)
        if (session.version, session.hash) == head:
            return session
        if session.version < version:
            newer = list(read_stream(db, session_id, session.version, version))
            if newer and extends_chain(newer[0], session_id, session.hash):
                session = fold(session, newer)
                if session.hash == digest:
                    return session
        session = fold(SessionState(id=session_id), read_stream(db, session_id, 0, version))
        assert (session.version, session.hash) == (version, digest), "head and events agree"
        return session


def fold_to_version(db: Connection, session: SessionState, at: int) -> SessionState:
    """Return a session as it stood at a version. Raise UnknownSession."""
    if at == session.version:
        return session
    if not 1 <= at <= session.version:
        raise UnknownSession
    return fold(SessionState(id=session.id), read_stream(db, session.id, 0, at))


def read_stream(
    db: Connection, session_id: UUID, after: int, upto: int, query: str = EVENTS
) -> Iterator[RecordedEvent]:
    """Yield stored events, decoded, in order; `query` selects them. Raise UnreadableEvent."""
    parameters = {"session_id": session_id, "after": after, "upto": upto}
    rows = db.cursor(binary=True).execute(query, parameters)  # reads many rows faster
    while page := rows.fetchmany(BATCH_ROWS):
        for version, kind, schema, at, by, data, digest in page:
            try:
                event = codec.decode(kind, schema, data)
            except KeyError:
                raise UnreadableEvent(session_id, version, kind) from None
            yield RecordedEvent(version, kind, schema, at, by, data, digest, event)
