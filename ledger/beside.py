"""What is written beside an evening and is no part of its history: done once for a key, all the
same, and under the evening's lock."""

from collections.abc import Callable
from uuid import UUID

from ledger.appending import given, take, taken
from ledger.database import Connection, Pool
from ledger.writing import Reply, Request, UnknownSession, check, repeated

REPLY = """
SELECT request, status, version, body FROM vola.replies
 WHERE session_id = %(session_id)s AND key = %(key)s
"""
ACTED = "SELECT acted FROM vola.heads WHERE session_id = %(session_id)s"
KEEP = """
INSERT INTO vola.replies (session_id, key, request, status, version, body)
VALUES (%(session_id)s, %(key)s, %(request)s, %(status)s, %(version)s, %(body)s)
"""

Do = Callable[[Connection, int], bytes]
"""What is to be done in a transaction, told the evening's version; makes the answer."""


def write(pool: Pool, session_id: UUID, request: Request, work: Do) -> Reply:
    """Do `work` in one transaction and keep the answer it makes; or answer again what this key was
    answered.

    UnknownSession, KeyReused, Stale, and whatever `work` refuses with, which undoes everything;
    psycopg.errors.LockNotAvailable when another request holds the evening for too long.
    """
    with pool.connection() as db:
        it = taken(take(db, session_id, by=request.by, key=request.key))
        if it is None or not it.let_in:
            raise UnknownSession  # it may have been shut out while this request waited
        if reply := given(it, request, session_id):
            return reply
        if isinstance(request.expected, int):  # nothing is appended, so it need not be named
            row = db.execute(ACTED, {"session_id": session_id}).fetchone()
            assert row is not None, "the evening is held"
            check(request.expected, row[0], it.version)
        reply = Reply(
            session_id=session_id,
            status=request.status,
            version=it.version,
            body=work(db, it.version),
        )
        kept = {"session_id": session_id, "key": request.key, "request": request.digest}
        answer = {"status": reply.status, "version": reply.version, "body": reply.body}
        db.execute(KEEP, {**kept, **answer})
    return reply


def answered(pool: Pool, session_id: UUID, request: Request) -> Reply | None:
    """What this key was answered, if it was: for whoever is asked something before he may write,
    and has been let through with this very request. KeyReused."""
    with pool.connection() as db:
        row = db.execute(REPLY, {"session_id": session_id, "key": request.key}).fetchone()
    return None if row is None else repeated(request, session_id, *row)
