"""What an auditor checks: the seals, the sums, and that the projections say what the events say.

Findings are a list; an empty one is a clean book. Reads only. In this order, each on the ground of
the one before: what was sealed, what somebody took home, whether it can have happened, whether the
tables are what it comes to, whether what followed from what was said had to follow by the rules,
the same sums by adding up once more, what went over from one evening to another, whether the
circle knows it, and what lies beside the events.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from uuid import UUID

from ledger.auditing import beside, carried, decided, gathered, kept, replay, seals, sums
from ledger.auditing.findings import Finding, clean
from ledger.auditing.kept import Kept
from ledger.database import Connection

__all__ = ["SESSIONS", "Finding", "Kept", "audit", "clean", "snapshot"]

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
REBUILD_MAY = "SELECT pg_advisory_unlock_shared(7316053)"
ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


@contextmanager
def snapshot(db: Connection) -> Iterator[None]:
    """One view of everything while this lasts; a rebuild waits, for its new tables would look
    empty in it. The connection must not be in a transaction."""
    db.autocommit = True
    db.execute(NO_REBUILD)
    try:
        with db.transaction():
            db.execute(ONE_SNAPSHOT)
            yield
    finally:
        db.execute(REBUILD_MAY)
        db.autocommit = False


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
