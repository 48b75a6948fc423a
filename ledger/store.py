"""Where history is kept: one stream per evening, each under its own lock, in PostgreSQL.

One transaction does everything that an action does: the lookup of the key, the events, the head,
the projections (payments due among them) and the answer to give again. What is remembered of an
evening may save it the asking, and is looked at under the lock before anything is written. Knows
neither HTTP nor any game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from engine.values import Player
from ledger import circles
from ledger.appending import Change, append, given, put, take, taken
from ledger.cards import Card
from ledger.clock import Clock
from ledger.database import Connection, Pool, in_two_trips, reading
from ledger.entries import CarriedForward, PaymentSettled
from ledger.envelope import Recorded, follows, record
from ledger.history import history
from ledger.known import Known
from ledger.projections.payments import Payment, outstanding
from ledger.session import Session, applied, fold
from ledger.writing import (
    Render,
    Reply,
    Request,
    UnknownSession,
    Work,
    check,
    repeated,
)

HEAD = "SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s"
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
LAST_AT = """
SELECT version FROM vola.events WHERE session_id = %(session_id)s AND at <= %(moment)s
 ORDER BY version DESC LIMIT 1
"""
CLAIM = """
INSERT INTO vola.creations (key, session_id) VALUES (%(key)s, %(session_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CLAIMED = """
SELECT session_id, request, status, version, body
  FROM vola.creations JOIN vola.replies USING (session_id, key) WHERE key = %(key)s
"""
SOON = "SET LOCAL lock_timeout = '200ms'"
NEW_SESSION = "INSERT INTO vola.sessions (session_id, title) VALUES (%(session_id)s, %(title)s)"


class Store:
    """The book of all evenings. Threads may share one; processes have one each."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._known = Known()
        self._clock = Clock()

    def _session(self, db: Connection, session_id: UUID, head: tuple[int, bytes]) -> Session:
        """Folded up to a head that is known to be committed, or locked by us."""
        upto, digest = head
        known = self._known.get(session_id) or Session(id=session_id)
        if (known.version, known.hash) == head:
            return known
        if known.version < upto:
            since = list(history(db, session_id, known.version, upto))
            if since and follows(since[0], session_id, known.hash):
                session = fold(known, since)
                if session.hash == digest:
                    return session
        session = fold(Session(id=session_id), history(db, session_id, 0, upto))
        assert (session.version, session.hash) == (upto, digest), "head and events go together"
        return session

    def read(self, session_id: UUID, at: int | None = None) -> Session:
        """The evening as it stands, or as it stood at a version. UnknownSession."""
        with reading(self.pool) as db:
            head = db.execute(HEAD, {"session_id": session_id}).fetchone()
            if head is None:
                raise UnknownSession
            session = self._session(db, session_id, head)
            self._known.keep(session)
            if at is None or at == session.version:
                return session
            if not 1 <= at <= session.version:
                raise UnknownSession
            return fold(Session(id=session_id), history(db, session_id, 0, at))

    def version_at(self, session_id: UUID, moment: int) -> int | None:
        """The version at this moment (microseconds, UTC); none before the evening began."""
        with reading(self.pool) as db:
            row = db.execute(LAST_AT, {"session_id": session_id, "moment": moment}).fetchone()
        return None if row is None else int(row[0])

    def events(self, session_id: UUID, after: int, limit: int) -> list[Recorded]:
        """The next events behind a version, ascending, without holes."""
        with reading(self.pool) as db:
            return list(history(db, session_id, after, after + limit))

    def create(
        self,
        request: Request,
        session_id: UUID,
        title: str | None,
        work: Work | Callable[[Connection], Work],
        render: Render,
    ) -> Reply:
        """Open an evening, or answer again what this key was answered. KeyReused.

        `work` may be made in the same transaction: what it then refuses with undoes everything.
        """
        with self.pool.connection() as db:
            ask = {"key": request.key, "session_id": session_id}
            if db.execute(CLAIM, ask).fetchone() is None:
                reply = claimed(db, request)
                assert reply is not None, "a key and its answer are written together"
                return reply
            db.execute(NEW_SESSION, {"session_id": session_id, "title": title})
            todo = work(db) if callable(work) else work
            now = db.execute(NOW).fetchone()
            assert now is not None
            before = Session(id=session_id)
            reply, session = self._append(db, before, now[0], request, todo, render)
            db.commit()
        self._known.keep(session)
        return reply

    def write(
        self,
        session_id: UUID,
        request: Request,
        work: Callable[[Session], Work],
        render: Render,
        called: Callable[[dict[Player, str | None]], None] | None = None,
        seen: Card | None = None,
    ) -> Reply:
        """Append what `work` decides on the evening as it stands, exactly once for a key.

        `called` is told before `work` what everybody is called now, where that is not as `seen`
        had it: the name that an answer would keep may have been erased while this request waited
        for the evening. `work` and `render` may be asked twice, and what they gave first forgotten.

        UnknownSession, KeyReused, VersionRequired, Stale, and whatever `work` refuses with;
        psycopg.errors.LockNotAvailable when another request holds the evening for too long.
        A refusal writes nothing and leaves the key free.
        """
        at_once = self._at_once(session_id, request, work, render, seen)
        if at_once is not None:
            return at_once
        with in_two_trips(self.pool) as db:
            asked = take(
                db, session_id, by=request.by, key=request.key, with_names=called is not None
            )
            it = taken(asked)
            if it is None or not it.let_in:
                raise UnknownSession  # it may have been shut out while this request waited
            self._clock.heard(it.now)
            if reply := given(it, request, session_id):
                return reply
            before = self._session(db, session_id, (it.version, it.hash))
            check(request.expected, before.acted, before.version)
            if called is not None:
                called(it.names or {})
            reply, session = self._append(db, before, it.now, request, work(before), render)
        self._known.keep(session)
        return reply

    def _at_once(
        self,
        session_id: UUID,
        request: Request,
        work: Callable[[Session], Work],
        render: Render,
        seen: Card | None,
    ) -> Reply | None:
        """Append in one question, on the evening as it is remembered here; None when nothing was
        written: it stands otherwise, or there is something to say that only who holds it can."""
        before, now = self._known.get(session_id), self._clock.now()
        if before is None or now is None:
            return None
        if seen is not None and seen.version not in (0, before.version):
            return None
        try:
            check(request.expected, before.acted, before.version)
            todo = work(before)
        except Exception:
            return None  # it may be refused by what is no longer so
        if todo.names:
            return None  # a circle may have to hear of them
        change, reply = _answered(_change(before, todo, now, request.by), request, render)
        with reading(self.pool) as db:
            heard = append(db, change, request.by, None if seen is None else seen.names)
        if heard is None:
            return None
        self._clock.heard(heard)
        self._known.keep(change.after)
        return reply

    def _append(
        self,
        db: Connection,
        before: Session,
        now: int,
        request: Request,
        work: Work,
        render: Render,
    ) -> tuple[Reply, Session]:
        change, reply = _answered(_change(before, work, now, request.by), request, render)
        _put(db, change)
        return reply, change.after

    def carry_forward(
        self, db: Connection, session_id: UUID, to: UUID, check: Callable[[Session], None]
    ) -> Session:
        """Write into an evening, in the caller's transaction, which other one goes on with what it
        left open. UnknownSession, and whatever `check` refuses with."""
        it = taken(take(db, session_id))
        if it is None:
            raise UnknownSession
        before = self._session(db, session_id, (it.version, it.hash))
        check(before)
        forward = CarriedForward(to=str(to))
        request = Request(key=f"carried forward to {to}", digest=to.bytes, by="circle")
        work = Work(events=(forward,))
        _, session = self._append(db, before, it.now, request, work, lambda _, __: b"{}")
        return session

    def settle(self, session_id: UUID, payment_id: str | None = None, *, waits: bool = True) -> int:
        """Settle one payment if it is still due, or all that are; how many this call settled.

        Who does not wait has others to settle for: psycopg.errors.LockNotAvailable, and soon, when
        somebody holds the evening.
        """
        with in_two_trips(self.pool) as db:
            if not waits:
                db.execute(SOON)
            it = taken(take(db, session_id))
            if it is None:
                return 0
            before = self._session(db, session_id, (it.version, it.hash))
            settled = tuple(
                settling(payment)
                for payment in outstanding(before.payments)
                if payment_id in (None, payment.id)
            )
            if not settled:
                return 0
            work = Work(events=settled)
            change = _change(before, work, it.now, "worker")
            _put(db, change)
        self._known.keep(change.after)
        return len(settled)


def settling(payment: Payment) -> PaymentSettled:
    """What is written when this payment is settled."""
    return PaymentSettled(
        payment=payment.id,
        deal=payment.deal,
        payer=payment.payer,
        payee=payment.payee,
        amount=payment.amount,
        reverses=payment.reverses,
    )


def claimed(db: Connection, request: Request) -> Reply | None:
    """What this key was answered when somebody began an evening with it. KeyReused."""
    row = db.execute(CLAIMED, {"key": request.key}).fetchone()
    return None if row is None else repeated(request, *row)


def _change(before: Session, work: Work, now: int, by: str) -> Change:
    """The evening after this work, its events sealed, and the journal's lines."""
    recorded = record(
        before.id,
        work.events,
        version=before.version,
        before=before.hash,
        at=max(now, before.at),  # no clock that was set back turns history round
        by=by,
    )
    session, lines = applied(before, recorded)
    remarks = ((session.version, work.remark),) if work.remark else ()
    return Change(before, session, recorded, lines, work.names, remarks)


def _answered(change: Change, request: Request, render: Render) -> tuple[Change, Reply]:
    """With its answer, to give again."""
    after = change.after
    reply = Reply(
        session_id=after.id,
        status=request.status,
        version=after.version,
        body=render(after, change.recorded),
    )
    return change._replace(kept=(request, reply)), reply


def _put(db: Connection, change: Change) -> None:
    put(db, change)
    for name in change.names:
        if change.before.version and name.name is not None:
            circles.welcome(db, change.after.id, name.player, name.name)
