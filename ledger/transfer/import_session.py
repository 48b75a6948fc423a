"""An evening that was kept in another book is taken in: all of it in one transaction, or nothing.

It is the same evening as there: its id, versions, times, writers and seals. Nobody's right to it
comes along, nor the circle that it may have been of. What is due in it is settled here. Knows
neither HTTP nor files.
"""

from collections.abc import Callable
from uuid import UUID

import psycopg

from ledger import audit
from ledger.appending import Change, put
from ledger.database import Connection
from ledger.exported import DoesNotHold
from ledger.importing import Held
from ledger.names import sounds_alike
from ledger.session import Session
from ledger.store import CLAIM, Store, claimed
from ledger.writing import Reply, Request

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
        return claimed(db, request)


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
            reply = claimed(db, request)
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
            if not sounds_alike(taken):
                raise
            raise SameName from None
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            raise DoesNotHold("event_impossible", session.version) from error
    return reply


def _write(db: Connection, held: Held, reply: Reply, request: Request) -> None:
    session, labels = held.session, held.labels
    nothing, kept = Session(id=session.id), (request, reply)
    whole = Change(nothing, session, held.recorded, held.lines, labels.names, labels.remarks, kept)
    put(db, whole)
    for phone, (first, last) in held.phones.items():
        let_in = {"session_id": session.id, "phone": phone, "first": first, "last": last}
        db.execute(THEIR_PHONE, let_in)


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
