"""What an auditor checks: the seals, the sums, and that the projections say what the events say.

Findings are a list; an empty one is a clean book. Reads only. In this order, each on the ground of
the one before: what was sealed, what somebody took home, whether it can have happened, whether the
tables are what it comes to, whether what followed from what was said had to follow by the rules,
the same sums by adding up once more, what went over from one evening to another, whether the
circle knows it, and what lies beside the events.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, LiteralString
from uuid import UUID

from ledger.auditing import beside, carried, decided, gathered, kept, replay, seals, sums
from ledger.auditing.findings import Finding, clean
from ledger.auditing.kept import Kept
from ledger.database import Connection, DatabaseUnfit

__all__ = [
    "SESSIONS",
    "Finding",
    "FollowerLags",
    "Kept",
    "RebuildGoesOn",
    "audit",
    "clean",
    "come_to",
    "snapshot",
]

SESSIONS = """
SELECT session_id FROM vola.sessions UNION SELECT session_id FROM vola.heads
 UNION SELECT session_id FROM vola.events UNION SELECT session_id FROM vola.players
 UNION SELECT session_id FROM vola.remarks UNION SELECT session_id FROM vola.replies
 UNION SELECT session_id FROM vola.creations UNION SELECT session_id FROM projections.pot
 UNION SELECT session_id FROM projections.bets UNION SELECT session_id FROM projections.balances
 UNION SELECT session_id FROM projections.payments UNION SELECT session_id FROM projections.scores
 UNION SELECT session_id FROM projections.deals UNION SELECT session_id FROM projections.journal
 UNION SELECT session_id FROM vola.evenings UNION SELECT session_id FROM vola.attendance
 ORDER BY session_id
"""
"""Every evening that anything is known of, whether or not it is all there."""

NO_REBUILD = "SELECT pg_advisory_lock_shared(7316053)"
NO_REBUILD_NOW = "SELECT pg_try_advisory_lock_shared(7316053)"
REBUILD_MAY = "SELECT pg_advisory_unlock_shared(7316053)"
FOLLOWS = "SELECT pg_is_in_recovery()"
WRITTEN = "SELECT pg_current_wal_lsn()::text"
HEARD = "SELECT pg_last_wal_replay_lsn() >= %(written)s::pg_lsn"
A_MOMENT = "SELECT pg_sleep(0.02)"
CATCH_UP_SECONDS = 10
HEAD = "SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s"
ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class RebuildGoesOn(Exception):
    """Projections are being made anew just now, and may not be looked at."""


class FollowerLags(DatabaseUnfit):
    """The auditor's server does not know yet what the book had when it was asked."""


@contextmanager
def snapshot(
    db: Connection, leader: Connection | None = None, *, waits: bool = True
) -> Iterator[None]:
    """One view of everything while this lasts; a rebuild waits, for its new tables would look
    empty in it. The connection must not be in a transaction.

    Where `db` follows another server, `leader` is a connection to that one: what is written there
    now will be seen. FollowerLags; RebuildGoesOn, for who does not wait.
    """
    follows = leader is not None and _one(db, FOLLOWS)
    with _no_rebuild(leader if leader and follows else db, waits=waits):
        if leader and follows:
            _catch_up(db, str(_one(leader, WRITTEN)))
        db.autocommit = True
        try:
            with db.transaction():
                db.execute(ONE_SNAPSHOT)
                yield
        finally:
            if not db.closed:
                db.autocommit = False


@contextmanager
def _no_rebuild(db: Connection, *, waits: bool) -> Iterator[None]:
    """An advisory lock is of one server: the one that is written to."""
    if waits:
        db.execute(NO_REBUILD)
    elif not _one(db, NO_REBUILD_NOW):
        raise RebuildGoesOn
    db.commit()  # held by the connection
    try:
        yield
    finally:
        if not db.closed:
            db.execute(REBUILD_MAY)
            db.commit()


def _catch_up(db: Connection, written: str) -> None:
    until = time.monotonic() + CATCH_UP_SECONDS
    while not _one(db, HEARD, written=written):
        if time.monotonic() > until:
            raise FollowerLags(
                "DATABASE_AUDIT_URL leads to a server that follows the book and is too far "
                "behind it to be audited; try again when it has caught up."
            )
        db.execute(A_MOMENT)


def _one(db: Connection, query: LiteralString, **ask: object) -> Any:
    row = db.execute(query, ask).fetchone()
    db.commit()
    return row[0] if row else None


def come_to(db: Connection, session_id: UUID) -> tuple[int, bytes] | None:
    """The version and the seal that are audited, inside a `snapshot`."""
    return db.execute(HEAD, {"session_id": session_id}).fetchone()


def audit(db: Connection, session_id: UUID, receipts: Iterable[Kept] = ()) -> list[Finding]:
    """All findings of one session, inside a `snapshot`. `receipts` are of this session: without
    one, a cut tail and a history that was written anew all through can look like the truth."""
    stream = seals.Stream()
    findings = list(seals.check(db, session_id, stream))
    findings += kept.check(db, session_id, stream, receipts)
    if findings:
        return findings  # what follows reads events that cannot be trusted
    try:
        findings += replay.check(db, session_id, stream)
    except replay.Impossible as impossible:
        return [*findings, impossible.found]
    return [
        *findings,
        *decided.check(db, session_id, stream),
        *sums.check(db, session_id),
        *carried.check(db, session_id),
        *gathered.check(db, session_id),
        *beside.check(db, session_id, stream),
    ]
