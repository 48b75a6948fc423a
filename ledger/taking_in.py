"""An evening that was kept in another book is taken in: all of it in one transaction, or nothing.

It is the same evening as there: its id, versions, times, writers and seals. Nobody's right to it
comes along, nor the circle that it may have been of. What is due in it is settled here. Knows
neither HTTP nor files.
"""

from collections.abc import Callable
from uuid import UUID

import msgspec
import psycopg

from ledger import audit, projector
from ledger.database import Connection
from ledger.exported import DoesNotHold
from ledger.importing import Held
from ledger.names import sounds
from ledger.projections.payments import outstanding
from ledger.session import Session
from ledger.store import (
    APPEND,
    CLAIM,
    CLAIMED,
    KEEP,
    NAME,
    NEW_HEAD,
    REMARK,
    REPLY,
    RING,
    Store,
)
from ledger.writing import KeyReused, Reply, Request

BEGIN = """
INSERT INTO vola.sessions (session_id, title, tokens)
VALUES (%(session_id)s, %(title)s, %(tokens)s)
ON CONFLICT (session_id) DO NOTHING RETURNING session_id
"""
HERE = "SELECT version FROM vola.heads WHERE session_id = %(session_id)s"
THEIR_PHONE = """
INSERT INTO vola.phones (session_id, phone, role, made_at, ended_at)
VALUES (%(session_id)s, %(phone)s, 'scorer', %(first)s, %(last)s)
"""
"""It has written there and may nothing here; but no other phone is given its number."""
SEALED = """
SELECT hash FROM vola.events WHERE session_id = %(session_id)s AND version = %(version)s
"""


class AlreadyHere(Exception):
    """This evening is in the book; at which version, if whoever asks has its history."""

    def __init__(self, version: int | None) -> None:
        super().__init__(version)
        self.version = version


class SameName(Exception):
    """Two of its players cannot be told apart by what they are called."""


def given(store: Store, request: Request) -> Reply | None:
    """What this key was answered, if it was. KeyReused."""
    with store.pool.connection() as db:
        return _given(db, request)


def take_in(
    store: Store, held: Held, request: Request, render: Callable[[Session], bytes]
) -> Reply:
    """Write it, or answer again what this key was answered.

    KeyReused, AlreadyHere, SameName; DoesNotHold when the auditor would find something;
    psycopg.errors.LockNotAvailable when the same evening is being taken in for too long.
    """
    session = held.session
    with store.pool.connection() as db:
        claim = {"key": request.key, "session_id": session.id}
        if db.execute(CLAIM, claim).fetchone() is None:
            reply = _given(db, request)
            assert reply is not None
            return reply
        tokens = {"session_id": session.id, "tokens": [held.generation] * 3}
        if db.execute(BEGIN, {**tokens, "title": held.labels.title}).fetchone() is None:
            version = _version(db, held)
            db.rollback()  # the key is free again
            raise AlreadyHere(version)
        try:
            body = render(session)
        except Exception as error:  # a forged evening that cannot be shown
            raise DoesNotHold("event_impossible", session.version) from error
        reply = Reply(
            session_id=session.id, status=request.status, version=session.version, body=body
        )
        try:
            _write(db, held, reply, request)
            _audit(db, session)
            db.commit()
        except psycopg.errors.UniqueViolation as taken:
            if taken.diag.constraint_name != "names_differ":
                raise
            raise SameName from None
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            raise DoesNotHold("event_impossible", session.version) from error
    return reply


def _write(db: Connection, held: Held, reply: Reply, request: Request) -> None:
    session, recorded = held.session, held.recorded
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
    head = {"session_id": session.id, "version": session.version, "acted": session.acted}
    db.execute(NEW_HEAD, {**head, "at": session.at, "hash": session.hash})
    projector.write(db, Session(id=session.id), session, held.lines)
    for name in held.labels.names:
        heard = None if name.name is None else sounds(name.name)
        known = {"session_id": session.id, "sounds": heard}
        db.execute(NAME, {**known, **msgspec.structs.asdict(name)})
    for phone, (first, last) in held.phones.items():
        let_in = {"session_id": session.id, "phone": phone, "first": first, "last": last}
        db.execute(THEIR_PHONE, let_in)
    for version, remark in held.labels.remarks:
        db.execute(REMARK, {"session_id": session.id, "version": version, "remark": remark})
    kept = {"session_id": session.id, "key": request.key, "request": request.digest}
    answer = {"status": reply.status, "version": reply.version, "body": reply.body}
    db.execute(KEEP, {**kept, **answer})
    if outstanding(session.payments):
        db.execute(RING)


def _audit(db: Connection, session: Session) -> None:
    """What an audit would find is refused: nobody can soil the book with a file."""
    for finding in audit.audit(db, session.id):
        if finding.about == "book":
            raise DoesNotHold("event_impossible", finding.version or session.version)


def _version(db: Connection, held: Held) -> int | None:
    """Where it stands here, for somebody who has its history: one goes on from the other."""
    ask: dict[str, UUID | int] = {"session_id": held.session.id}
    row = db.execute(HERE, ask).fetchone()
    if row is None:
        return None
    both = min(row[0], held.session.version)
    sealed = db.execute(SEALED, {**ask, "version": both}).fetchone()
    alike = sealed is not None and bytes(sealed[0]) == held.recorded[both - 1].hash
    return int(row[0]) if alike else None


def _given(db: Connection, request: Request) -> Reply | None:
    claimed = db.execute(CLAIMED, {"key": request.key}).fetchone()
    if claimed is None:
        return None
    ask = {"session_id": claimed[0], "key": request.key}
    row = db.execute(REPLY, ask).fetchone()
    assert row is not None, "a key and its answer are written together"
    digest, status, version, body = row
    if bytes(digest) != request.digest:
        raise KeyReused
    return Reply(
        session_id=claimed[0], status=status, version=version, body=bytes(body), replayed=True
    )
