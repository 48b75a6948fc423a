"""The event store: one stream of events per session, in PostgreSQL.

`EventStore.append` is the one write path. It tries the stream as this process remembers it, in one
round trip in which the database compares before it writes (`_append_if_unchanged`). If anything is
otherwise it locks the stream, in two round trips (`_append_locked`). Both take the same steps: lock
or compare, stored reply, expected version, decide, append, project. Knows neither HTTP nor any
game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from engine.errors import RuleViolation
from engine.values import Player
from ledger.events.event_types import CarriedForward
from ledger.events.recorded_event import UnknownSession
from ledger.projections.la_vola_payments import settle_payments
from ledger.session.session_state import SessionState
from ledger.store.append_request import (
    AppendRequest,
    CachedNames,
    Decision,
    KeyReused,
    Refusal,
    Render,
    StoredReply,
    check_expected_version,
)
from ledger.store.append_sql import (
    LockedStream,
    append_if_unchanged,
    lock_stream,
    write_changes,
)
from ledger.store.changes import Changes, build_changes, has_due_payments, with_reply
from ledger.store.connection_pool import (
    Connection,
    Pool,
    autocommit_connection,
    execute_best_effort,
    pipelined_transaction,
)
from ledger.store.read_stream import StreamReader
from ledger.store.server_clock import ServerClock

NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
CLAIM_CREATION_KEY = """
INSERT INTO vola.creation_keys (key, session_id) VALUES (%(key)s, %(session_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CREATION_REPLY = """
SELECT session_id, request, status, version, body
  FROM vola.creation_keys JOIN vola.stored_replies USING (session_id, key) WHERE key = %(key)s
"""
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'"
NEW_SESSION = "INSERT INTO vola.sessions (session_id, title) VALUES (%(session_id)s, %(title)s)"
NOTIFY_DUE = "NOTIFY vola_due"
"""Wakes the outbox relay. Sent after the commit: NOTIFY inside a transaction takes a lock of the
whole database when it commits, and sessions must not wait for each other. A lost one does no harm:
the relay also polls."""

Decide = Callable[[SessionState], Decision]
UseNames = Callable[[dict[Player, str | None]], None]


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
        render: Render,
    ) -> StoredReply:
        """Start a stream, or return the reply stored for this key. KeyReused.

        A callable `decision` runs in the same transaction: if it refuses, everything is undone.
        """
        with self.pool.connection() as db:
            claim = {"key": request.key, "session_id": session_id}
            if db.execute(CLAIM_CREATION_KEY, claim).fetchone() is None:
                reply = creation_reply(db, request)
                assert reply is not None, "a key and its reply are written together"
                return reply
            db.execute(NEW_SESSION, {"session_id": session_id, "title": title})
            decided = decision(db) if callable(decision) else decision
            now = db.execute(NOW).fetchone()
            assert now is not None
            before = SessionState(id=session_id)
            reply, changes = self._write(db, before, now[0], request, decided, render)
            db.commit()
        self._snapshots.put(changes.after)
        return reply

    def append(
        self,
        session_id: UUID,
        request: AppendRequest,
        decide: Decide,
        render: Render,
        use_names: UseNames | None = None,
        cached_names: CachedNames | None = None,
    ) -> StoredReply:
        """Append what `decide` returns for the session as it stands, exactly once per key.

        `use_names` is called before `decide` with the players' current names if these differ from
        `cached_names`: a name may have been erased while this request waited, and must not get into
        the stored reply. `decide` and `render` may run twice; only the last result counts.

        UnknownSession, KeyReused, VersionRequired, VersionConflict, and whatever `decide` refuses
        with (a Refusal or a RuleViolation). Any other error in it is a fault and surfaces at once.
        psycopg.errors.LockNotAvailable if another request holds the stream for too long.
        A refusal writes nothing and leaves the key unused.
        """
        reply = self._append_if_unchanged(session_id, request, decide, render, cached_names)
        if reply is None:
            reply = self._append_locked(session_id, request, decide, render, use_names)
        return reply

    def _append_if_unchanged(
        self,
        session_id: UUID,
        request: AppendRequest,
        decide: Decide,
        render: Render,
        cached_names: CachedNames | None,
    ) -> StoredReply | None:
        """Append in one round trip to the remembered session; the database compares it, the names,
        the key and the token with what is stored. None if nothing was written."""
        before, now = self._snapshots.get(session_id), self._clock.estimate()
        if before is None or now is None:
            return None
        if cached_names is not None and cached_names.version not in (0, before.version):
            return None
        try:
            check_expected_version(
                request.expected_version, before.conflict_version, before.version
            )
            decision = decide(before)
        except (RuleViolation, Refusal):
            return None  # the session may have changed: only the locked stream can refuse
        if decision.names or decision.in_transaction:
            return None  # more has to be written than one round trip can
        changes = build_changes(before, decision, now, request.by)
        changes, reply = with_reply(changes, request, render)
        with autocommit_connection(self.pool) as db:
            names = None if cached_names is None else cached_names.names
            written_at = append_if_unchanged(db, changes, request.by, names)
            if written_at is None:
                return None
            if has_due_payments(changes):
                execute_best_effort(db, NOTIFY_DUE)
        self._clock.observe(written_at)
        self._snapshots.put(changes.after, before)
        return reply

    def _append_locked(
        self,
        session_id: UUID,
        request: AppendRequest,
        decide: Decide,
        render: Render,
        use_names: UseNames | None,
    ) -> StoredReply:
        """Append under the stream's lock, in two round trips."""
        after_commit = list[str]()
        with pipelined_transaction(self.pool, after_commit) as db:
            with_names = use_names is not None
            stream = lock_stream(
                db, session_id, by=request.by, key=request.key, with_names=with_names
            )
            if stream is None or not stream.may_write:
                raise UnknownSession  # the token may have been revoked while this request waited
            self._clock.observe(stream.now)
            if reply := stored_reply(stream, request, session_id):
                return reply
            snapshot = self._snapshots.get(session_id)
            before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
            check_expected_version(
                request.expected_version, before.conflict_version, before.version
            )
            if use_names is not None:
                use_names(stream.names or {})
            decision = decide(before)
            reply, changes = self._write(db, before, stream.now, request, decision, render)
            after_commit += [NOTIFY_DUE] if has_due_payments(changes) else []
        self._snapshots.put(changes.after, snapshot)
        return reply

    def _write(
        self,
        db: Connection,
        before: SessionState,
        now: int,
        request: AppendRequest,
        decision: Decision,
        render: Render,
    ) -> tuple[StoredReply, Changes]:
        changes, reply = with_reply(
            build_changes(before, decision, now, request.by), request, render
        )
        write_changes(db, changes)
        if decision.in_transaction is not None:
            decision.in_transaction(db)
        return reply, changes

    def carry_forward(
        self,
        db: Connection,
        session_id: UUID,
        next_session_id: UUID,
        check: Callable[[SessionState], None],
    ) -> SessionState:
        """Record, in the caller's transaction, which session takes over what this one left open.
        UnknownSession, and whatever `check` refuses with."""
        stream = lock_stream(db, session_id)
        if stream is None:
            raise UnknownSession
        snapshot = self._snapshots.get(session_id)
        before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
        check(before)
        request = AppendRequest(
            key=f"carried forward to {next_session_id}", digest=next_session_id.bytes, by="circle"
        )
        decision = Decision(events=(CarriedForward(to=str(next_session_id)),))
        _, changes = self._write(db, before, stream.now, request, decision, lambda _, __: b"{}")
        return changes.after

    def settle(self, session_id: UUID, payment_id: str | None = None, *, waits: bool = True) -> int:
        """Settle one la vola payment if it is still due, or all that are; return how many this
        call settled.

        With `waits=False`, psycopg.errors.LockNotAvailable comes soon if the stream is locked.
        """
        with pipelined_transaction(self.pool) as db:
            if not waits:
                db.execute(SHORT_LOCK_TIMEOUT)
            stream = lock_stream(db, session_id)
            if stream is None:
                return 0
            snapshot = self._snapshots.get(session_id)
            before = self._fold_to_head(db, session_id, (stream.version, stream.hash), snapshot)
            settled = settle_payments(before.payments, payment_id)
            if not settled:
                return 0
            changes = build_changes(before, Decision(events=settled), stream.now, "worker")
            write_changes(db, changes)
        self._snapshots.put(changes.after, snapshot)
        return len(settled)


def stored_reply(
    stream: LockedStream, request: AppendRequest, session_id: UUID
) -> StoredReply | None:
    """Return the reply stored for the request's key, if there is one. KeyReused."""
    if stream.request is None:
        return None
    assert stream.status is not None, "a reply is stored whole"
    assert stream.reply_version is not None, "a reply is stored whole"
    assert stream.body is not None, "a reply is stored whole"
    return replay(
        request, session_id, stream.request, stream.status, stream.reply_version, stream.body
    )


def creation_reply(db: Connection, request: AppendRequest) -> StoredReply | None:
    """Return the reply stored when a session was created under this key. KeyReused."""
    row = db.execute(CREATION_REPLY, {"key": request.key}).fetchone()
    return None if row is None else replay(request, *row)


def replay(
    request: AppendRequest, session_id: UUID, digest: bytes, status: int, version: int, body: bytes
) -> StoredReply:
    """Same key, same request: the same reply. Raise KeyReused if the request was another."""
    if digest != request.digest:
        raise KeyReused
    return StoredReply(
        session_id=session_id, status=status, version=version, body=body, replayed=True
    )
