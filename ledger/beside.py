"""What is written beside an evening and is no part of its history: done once for a key, all the
same, and under the evening's lock."""

from collections.abc import Callable
from uuid import UUID

from ledger.database import Connection, Pool
from ledger.store import KEEP, LOCK_HEAD, REPLY
from ledger.writing import KeyReused, Reply, Request, UnknownSession

Do = Callable[[Connection, int], bytes]
"""What is to be done in a transaction, told the evening's version; makes the answer."""


def write(pool: Pool, session_id: UUID, request: Request, work: Do) -> Reply:
    """Do `work` in one transaction and keep the answer it makes; or answer again what this key was
    answered.

    UnknownSession, KeyReused, and whatever `work` refuses with, which undoes everything;
    psycopg.errors.LockNotAvailable when another request holds the evening for too long.
    """
    ask = {"session_id": session_id, "key": request.key}
    with pool.connection() as db:
        head = db.execute(LOCK_HEAD, ask).fetchone()
        if head is None:
            raise UnknownSession
        given = _given(db, session_id, request)
        if given is not None:
            return given
        reply = _reply(session_id, request.status, head[0], work(db, head[0]))
        kept = {**ask, "request": request.digest, "status": reply.status}
        db.execute(KEEP, {**kept, "version": reply.version, "body": reply.body})
    return reply


def answered(pool: Pool, session_id: UUID, request: Request) -> Reply | None:
    """What this key was answered, if it was: for whoever is asked something before he may write,
    and has been let through with this very request. KeyReused."""
    with pool.connection() as db:
        return _given(db, session_id, request)


def _given(db: Connection, session_id: UUID, request: Request) -> Reply | None:
    given = db.execute(REPLY, {"session_id": session_id, "key": request.key}).fetchone()
    if given is None:
        return None
    digest, status, version, body = given
    if bytes(digest) != request.digest:
        raise KeyReused
    return _reply(session_id, status, version, bytes(body), replayed=True)


def _reply(
    session_id: UUID, status: int, version: int, body: bytes, *, replayed: bool = False
) -> Reply:
    return Reply(
        session_id=session_id, status=status, version=version, body=body, replayed=replayed
    )
