"""The event store: one stream of events per session, in PostgreSQL.

`EventStore.append` is the one write path. It first tries the session that this process has cached,
in one round trip in which the database compares before it writes (`_append_if_unchanged`). If
anything has changed it locks the stream, in two round trips (`_append_locked`). Both take the same
steps: lock or compare, stored reply, expected version, decide, append, project. Knows neither HTTP
nor any game's rules.
"""

import time
from collections.abc import Callable
from uuid import UUID

from engine.errors import RuleViolation
from engine.values import Player
from ledger.events.recorded_event import UnknownSession
from ledger.projections.la_vola_payments import MAX_SETTLED_AT_ONCE, due_payments
from ledger.session.session_state import SessionState
from ledger.store.append_request import (
    AppendRequest,
    AppendResult,
    Changes,
    Decision,
    Refusal,
    StoredReply,
    build_changes,
    check_expected_version,
    has_due_payments,
    new_reply,
    read_reply,
)
from ledger.store.append_sql import append_if_unchanged, lock_stream, write_changes
from ledger.store.connection_pool import (
    Connection,
    Pool,
    autocommit_connection,
    execute_best_effort,
    fetch_value,
    pipelined_transaction,
)
from ledger.store.read_stream import StreamReader, fold_to_version, read_stream

NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
CLAIM_CREATION_KEY = """
INSERT INTO vola.creation_keys (key, session_id) VALUES (%(key)s, %(session_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CREATION_REPLY = """
SELECT session_id, request, status, version, event_count, operands
  FROM vola.creation_keys JOIN vola.stored_replies USING (session_id, key) WHERE key = %(key)s
"""
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'"
NEW_SESSION = "INSERT INTO vola.sessions (session_id, title) VALUES (%(session_id)s, %(title)s)"
NOTIFY_DUE = "NOTIFY vola_due"
"""Wakes the outbox relay. Sent after the commit: NOTIFY inside a transaction takes a lock of the
whole database when it commits, and sessions must not wait for each other. A lost one does no harm:
the relay also polls."""

Decide = Callable[[SessionState], Decision]


class ServerClock:
    """Estimates PostgreSQL's clock, the only one that counts, from its last observation. Times are
    in microseconds since 1970, UTC. `own` is this machine's clock, in nanoseconds."""

    def __init__(self, own: Callable[[], int] = time.time_ns) -> None:
        self._own = own
        self._ahead: int | None = None  # how far it is ahead of this machine's, in microseconds

    def observe(self, now: int) -> None:
        """Note what the server's clock shows now."""
        self._ahead = now - self._own() // 1000

    def estimate(self) -> int | None:
        """Return what the server's clock shows; None before the first observation."""
        return None if self._ahead is None else self._own() // 1000 + self._ahead


class EventStore(StreamReader):
    """Every stream of the database. Threads may share one; each process has its own."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self._clock = ServerClock()

    def create(
        self,
        request: AppendRequest,
        session_id: UUID,
        title: str | None,
        decision: Decision | Callable[[Connection], Decision],
    ) -> StoredReply:
        """Start a stream, or return the reply stored for this key. Raise KeyReused. A callable
        `decision` runs in the same transaction: if it refuses, everything is undone."""
        with self.pool.connection() as db:
            claim = {"key": request.key, "session_id": session_id}
            if db.execute(CLAIM_CREATION_KEY, claim).fetchone() is None:
                reply = creation_reply(db, request)
                assert reply is not None, "a key and its reply are written together"
                return reply
            db.execute(NEW_SESSION, {"session_id": session_id, "title": title})
            decided = decision(db) if callable(decision) else decision
            now = fetch_value(db, NOW)
            changes = _write(db, SessionState(id=session_id), now, request, decided)
            db.commit()
        self._snapshots.put(changes.after)
        return new_reply(changes)

    def append(self, session_id: UUID, request: AppendRequest, decide: Decide) -> AppendResult:
        """Append what `decide` returns for the session as it stands, exactly once per key. For a
        key that was used, return what it appended and the session as it stood then.

        `decide` may run twice; only the last decision counts.

        Raise UnknownSession, KeyReused, VersionRequired, VersionConflict, and whatever `decide`
        refuses with (a Refusal or a RuleViolation). Any other error in it is a fault and surfaces
        at once. psycopg.errors.LockNotAvailable if another request holds the stream for too long. A
        refusal writes nothing and leaves the key unused.
        """
        result = self._append_if_unchanged(session_id, request, decide)
        return result or self._append_locked(session_id, request, decide)

    def _append_if_unchanged(
        self, session_id: UUID, request: AppendRequest, decide: Decide
    ) -> AppendResult | None:
        """Append in one round trip to the cached session; the database compares its head and its
        access version, and refuses a key that it has. None if nothing was written."""
        before, now = self._snapshots.get(session_id), self._clock.estimate()
        if before is None or now is None or request.access_version is None:
            return None
        try:
            check_expected_version(
                request.expected_version, before.conflict_version, before.version
            )
            decision = decide(before)
        except (RuleViolation, Refusal):
            return None  # the session may have changed: only the locked stream can refuse
        if decision.in_transaction:
            return None  # it has more to do than one round trip can
        changes = build_changes(before, decision, now, request)
        with autocommit_connection(self.pool) as db:
            written = append_if_unchanged(db, changes, request)
            if written is None:
                return None
            if has_due_payments(changes):
                execute_best_effort(db, NOTIFY_DUE)
        written_at, names = written
        self._clock.observe(written_at)
        self._snapshots.put(changes.after, before)
        return _result(changes, names)

    def _append_locked(
        self, session_id: UUID, request: AppendRequest, decide: Decide
    ) -> AppendResult:
        """Append under the stream's lock, in two round trips; or replay what the key appended."""
        after_commit: list[str] = []
        with pipelined_transaction(self.pool, after_commit) as db:
            stream = lock_stream(
                db, session_id, by=request.by, key=request.key, with_names=request.with_names
            )
            self._clock.observe(stream.now)
            snapshot = self._snapshots.get(session_id)
            reply = read_reply(session_id, request, stream.reply)
            before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
            if reply is not None:
                self._snapshots.put(before, snapshot)
                return _replay(db, before, reply, stream.names)
            check_expected_version(
                request.expected_version, before.conflict_version, before.version
            )
            changes = _write(db, before, stream.now, request, decide(before))
            after_commit += [NOTIFY_DUE] if has_due_payments(changes) else []
        self._snapshots.put(changes.after, snapshot)
        return _result(changes, stream.names)

    def append_in_transaction(
        self, db: Connection, session_id: UUID, request: AppendRequest, decide: Decide
    ) -> SessionState:
        """Append in the caller's transaction, under the stream's lock, and return the session after
        it. The key is new: the caller has looked for the reply to its own request.
        Raise UnknownSession, and whatever `decide` refuses with."""
        stream = lock_stream(db, session_id)
        snapshot = self._snapshots.get(session_id)
        before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
        return _write(db, before, stream.now, request, decide(before)).after

    def settle(self, session_id: UUID, *, waits: bool = True) -> int:
        """Settle the la vola payments that are due, up to MAX_SETTLED_AT_ONCE; the others stay due.
        Return how many this call settled. With `waits=False`, psycopg.errors.LockNotAvailable comes
        soon if the stream is locked."""
        with pipelined_transaction(self.pool) as db:
            if not waits:
                db.execute(SHORT_LOCK_TIMEOUT)
            try:
                stream = lock_stream(db, session_id)
            except UnknownSession:
                return 0
            snapshot = self._snapshots.get(session_id)
            before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
            due = due_payments(before.payments)[:MAX_SETTLED_AT_ONCE]
            settled = tuple(payment.settlement for payment in due)
            if not settled:
                return 0
            changes = build_changes(before, Decision(events=settled), stream.now, request=None)
            write_changes(db, changes)
        self._snapshots.put(changes.after, snapshot)
        return len(settled)


def creation_reply(db: Connection, request: AppendRequest) -> StoredReply | None:
    """Return the reply stored when a session was created under this key. Raise KeyReused."""
    row = db.execute(CREATION_REPLY, {"key": request.key}).fetchone()
    return None if row is None else read_reply(row[0], request, row[1:])


def _write(
    db: Connection, before: SessionState, now: int, request: AppendRequest, decision: Decision
) -> Changes:
    """Write what was decided, and the reply stored for the key, in the caller's transaction."""
    changes = build_changes(before, decision, now, request)
    write_changes(db, changes)
    if decision.in_transaction is not None:
        decision.in_transaction(db)
    return changes


def _result(changes: Changes, names: dict[Player, str | None]) -> AppendResult:
    return AppendResult(
        reply=new_reply(changes),
        session=changes.after,
        recorded=changes.recorded,
        names=names | {new.player: new.name for new in changes.names},
    )


def _replay(
    db: Connection, latest: SessionState, reply: StoredReply, names: dict[Player, str | None]
) -> AppendResult:
    """Return what a key appended earlier, and the session as it stood then."""
    version = reply.version
    events = read_stream(db, latest.id, version - reply.event_count, version)
    return AppendResult(
        reply=reply,
        session=fold_to_version(db, latest, version),
        recorded=tuple(events),
        names=names,
    )
