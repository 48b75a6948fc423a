"""Where history is kept: one stream per evening, each under its own lock, in PostgreSQL.

One transaction does everything that an action does: the lookup of the key, the events, the head,
the projections (payments due among them) and the answer to give again. Knows neither HTTP nor any
game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import msgspec

from engine.values import Player
from ledger import circles, projector
from ledger.database import Connection, Cursor, Pool
from ledger.entries import CarriedForward, PaymentSettled
from ledger.envelope import Recorded, follows, record
from ledger.history import history
from ledger.known import Known
from ledger.names import sounds
from ledger.projections.journal import Line
from ledger.projections.payments import Payment, outstanding
from ledger.session import Session, apply, fold
from ledger.writing import (
    Expected,
    KeyReused,
    Render,
    Reply,
    Request,
    Stale,
    UnknownSession,
    VersionRequired,
    Work,
)

LOCK_HEAD = """
SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s FOR UPDATE
"""
HEAD = "SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s"
LET_IN = """
SELECT 1 FROM vola.phones
 WHERE session_id = %(session_id)s AND 'phone' || phone = %(by)s AND ended_at IS NULL
"""
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
NAMES = "SELECT player_id, name FROM vola.players WHERE session_id = %(session_id)s"
REPLY = """
SELECT request, status, version, body FROM vola.replies
 WHERE session_id = %(session_id)s AND key = %(key)s
"""
LAST_AT = """
SELECT version FROM vola.events WHERE session_id = %(session_id)s AND at <= %(moment)s
 ORDER BY version DESC LIMIT 1
"""
APPEND = """
INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
SELECT %(session_id)s, * FROM unnest(%(versions)s::integer[], %(types)s::text[],
       %(schemas)s::smallint[], %(ats)s::bigint[], %(bys)s::text[], %(datas)s::text[],
       %(hashes)s::bytea[])
"""
MOVE_HEAD = """
UPDATE vola.heads SET version = %(version)s, acted = %(acted)s, at = %(at)s, hash = %(hash)s
 WHERE session_id = %(session_id)s
"""
NEW_HEAD = """
INSERT INTO vola.heads (session_id, version, acted, at, hash)
VALUES (%(session_id)s, %(version)s, %(acted)s, %(at)s, %(hash)s)
"""
CLAIM = """
INSERT INTO vola.creations (key, session_id) VALUES (%(key)s, %(session_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CLAIMED = "SELECT session_id FROM vola.creations WHERE key = %(key)s"
NEW_SESSION = "INSERT INTO vola.sessions (session_id, title) VALUES (%(session_id)s, %(title)s)"
NAME = """
INSERT INTO vola.players (session_id, player_id, name, sounds, salt)
VALUES (%(session_id)s, %(player)s, %(name)s, %(sounds)s, %(salt)s)
"""
REMARK = """
INSERT INTO vola.remarks (session_id, version, remark)
VALUES (%(session_id)s, %(version)s, %(remark)s)
"""
KEEP = """
INSERT INTO vola.replies (session_id, key, request, status, version, body)
VALUES (%(session_id)s, %(key)s, %(request)s, %(status)s, %(version)s, %(body)s)
"""
RING = "NOTIFY vola_due"


class Store:
    """The book of all evenings. Threads may share one; processes have one each."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._known = Known()

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
        with self.pool.connection() as db:
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
        with self.pool.connection() as db:
            row = db.execute(LAST_AT, {"session_id": session_id, "moment": moment}).fetchone()
        return None if row is None else int(row[0])

    def events(self, session_id: UUID, after: int, limit: int) -> list[Recorded]:
        """The next events behind a version, ascending, without holes."""
        with self.pool.connection() as db:
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
                row = db.execute(CLAIMED, ask).fetchone()
                assert row is not None
                reply = _given(db.execute(REPLY, {**ask, "session_id": row[0]}), request, row[0])
                assert reply is not None
                return reply
            db.execute(NEW_SESSION, {"session_id": session_id, "title": title})
            todo = work(db) if callable(work) else work
            (now,) = _one(db.execute(NOW))
            reply, session = self._append(db, Session(id=session_id), now, request, todo, render)
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
    ) -> Reply:
        """Append what `work` decides on the evening as it stands, exactly once for a key.

        `called` is told before `work` what everybody is called now: the name that an answer would
        keep may have been erased while this request waited for the evening.

        UnknownSession, KeyReused, VersionRequired, Stale, and whatever `work` refuses with;
        psycopg.errors.LockNotAvailable when another request holds the evening for too long.
        A refusal writes nothing and leaves the key free.
        """
        ask = {"session_id": session_id, "key": request.key, "by": request.by}
        with self.pool.connection() as db, db.pipeline():
            lock, clock, given = db.execute(LOCK_HEAD, ask), db.execute(NOW), db.execute(REPLY, ask)
            names = db.execute(NAMES, ask) if called else None
            phone = db.execute(LET_IN, ask) if request.by.startswith("phone") else None
            head = lock.fetchone()
            if head is None or (phone and phone.fetchone() is None):
                raise UnknownSession  # it may have been shut out while this request waited
            reply = _given(given, request, session_id)
            if reply is not None:
                return reply
            session = self._session(db, session_id, head)
            _check(request.expected, session)
            if called and names:
                called(dict(names.fetchall()))
            todo = work(session)
            (now,) = _one(clock)
            reply, session = self._append(db, session, now, request, todo, render)
            db.commit()
        self._known.keep(session)
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
        session, recorded = _write(db, before, work, now, request.by)
        reply = Reply(
            session_id=session.id,
            status=request.status,
            version=session.version,
            body=render(session, recorded),
        )
        db.execute(
            KEEP,
            {
                "session_id": session.id,
                "key": request.key,
                "request": request.digest,
                "status": reply.status,
                "version": reply.version,
                "body": reply.body,
            },
        )
        return reply, session

    def carry_forward(
        self, db: Connection, session_id: UUID, to: UUID, check: Callable[[Session], None]
    ) -> Session:
        """Write into an evening, in the caller's transaction, which other one goes on with what it
        left open. UnknownSession, and whatever `check` refuses with."""
        lock = db.execute(LOCK_HEAD, {"session_id": session_id})
        head = lock.fetchone()
        if head is None:
            raise UnknownSession
        (now,) = _one(db.execute(NOW))
        before = self._session(db, session_id, head)
        check(before)
        forward = CarriedForward(to=str(to))
        request = Request(key=f"carried forward to {to}", digest=to.bytes, by="circle")
        _, session = self._append(
            db, before, now, request, Work(events=(forward,)), lambda _, __: b"{}"
        )
        return session

    def settle(self, session_id: UUID, payment_id: str | None = None) -> int:
        """Settle one payment if it is still due, or all that are; how many this call settled."""
        with self.pool.connection() as db, db.pipeline():
            lock = db.execute(LOCK_HEAD, {"session_id": session_id})
            clock = db.execute(NOW)
            head = lock.fetchone()
            if head is None:
                return 0
            session = self._session(db, session_id, head)
            settled = tuple(
                settling(payment)
                for payment in outstanding(session.payments)
                if payment_id in (None, payment.id)
            )
            if not settled:
                return 0
            (now,) = _one(clock)
            session, _ = _write(db, session, Work(events=settled), now, "worker")
            db.commit()
        self._known.keep(session)
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


def _write(
    db: Connection, before: Session, work: Work, now: int, by: str
) -> tuple[Session, tuple[Recorded, ...]]:
    """Events, head, projections and names, in the caller's transaction."""
    recorded = record(
        before.id,
        work.events,
        version=before.version,
        before=before.hash,
        at=max(now, before.at),  # no clock that was set back turns history round
        by=by,
    )
    session, lines = before, list[Line]()
    for event in recorded:
        session, more = apply(session, event)
        lines += more
    db.execute(
        APPEND,
        {
            "session_id": session.id,
            "versions": [r.version for r in recorded],
            "types": [r.type for r in recorded],
            "schemas": [r.schema for r in recorded],
            "ats": [r.at for r in recorded],
            "bys": [r.by for r in recorded],
            "datas": [r.data for r in recorded],
            "hashes": [r.hash for r in recorded],
        },
    )
    head = {
        "session_id": session.id,
        "version": session.version,
        "acted": session.acted,
        "at": session.at,
        "hash": session.hash,
    }
    db.execute(MOVE_HEAD if before.version else NEW_HEAD, head)
    projector.write(db, before, session, lines)
    if session.payments is not before.payments and outstanding(session.payments):
        db.execute(RING)  # wakes the relay when this transaction commits, and only then
    for name in work.names:
        heard = None if name.name is None else sounds(name.name)
        known = {"session_id": session.id, "sounds": heard}
        db.execute(NAME, {**known, **msgspec.structs.asdict(name)})
        if before.version and name.name is not None:
            circles.welcome(db, session.id, name.player, name.name)
    if work.remark:
        remark = {"session_id": session.id, "version": session.version, "remark": work.remark}
        db.execute(REMARK, remark)
    return session, recorded


def _check(expected: Expected, session: Session) -> None:
    if expected == "missing":
        raise VersionRequired
    if expected != "any" and not session.acted <= expected <= session.version:
        raise Stale(session.version)


def _given(cursor: Cursor, request: Request, session_id: UUID) -> Reply | None:
    row = cursor.fetchone()
    if row is None:
        return None
    digest, status, version, body = row
    if bytes(digest) != request.digest:
        raise KeyReused
    return Reply(
        session_id=session_id, status=status, version=version, body=bytes(body), replayed=True
    )


def _one(cursor: Cursor) -> tuple[int]:
    row = cursor.fetchone()
    assert row is not None
    (number,) = row
    return (int(number),)
