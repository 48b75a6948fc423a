"""Evenings whose payments cannot be settled: how often it was tried, why it failed, when next.

Kept in the book, so that every relay knows it and a person can see it. Forgetting one has it tried
again at once. Why it failed is told by the kind of the error and its place in the program: its own
words may quote a row, and so a remark, or whatever somebody has put there for a terminal.
"""

from traceback import walk_tb
from uuid import UUID

import msgspec
import psycopg

from ledger.database import Pool

FIRST_WAIT_MS = 250
LONGEST_WAIT_MS = 60_000
OURS = ("engine", "ledger")

NOTE = """
INSERT INTO vola.stuck AS s (session_id, tries, reason, again)
VALUES (%(session_id)s, 1, %(reason)s, clock_timestamp() + %(first)s * interval '1 millisecond')
ON CONFLICT (session_id) DO UPDATE
   SET tries = s.tries + 1, reason = excluded.reason,
       again = clock_timestamp()
             + least(%(first)s * 2 ^ least(s.tries, 20), %(longest)s) * interval '1 millisecond'
"""
FORGET = "DELETE FROM vola.stuck WHERE session_id = %(session_id)s"
TIDY = """
DELETE FROM vola.stuck s WHERE NOT EXISTS (
  SELECT FROM projections.payments p WHERE p.session_id = s.session_id AND p.status = 'due')
"""
FORGET_ALL = "DELETE FROM vola.stuck"
RING = "NOTIFY vola_due"
STUCK = """
SELECT s.session_id, s.tries, s.reason, (extract(epoch FROM s.since) * 1000000)::bigint,
       (SELECT count(*) FROM projections.payments p
         WHERE p.session_id = s.session_id AND p.status = 'due')
  FROM vola.stuck s
 WHERE (%(session_id)s::uuid IS NULL OR s.session_id = %(session_id)s) ORDER BY s.since
"""


class Stuck(msgspec.Struct, frozen=True, kw_only=True):
    """`since` in microseconds, UTC; `due`: how many payments wait; `reason`: as `why` tells it."""

    session_id: UUID
    tries: int
    reason: str
    since: int
    due: int


def note(pool: Pool, session_id: UUID, error: Exception) -> None:
    """It failed once more; the next try waits twice as long, up to a minute."""
    waits = {"first": FIRST_WAIT_MS, "longest": LONGEST_WAIT_MS}
    with pool.connection() as db:
        db.execute(NOTE, {"session_id": session_id, "reason": why(error), **waits})


def why(error: BaseException) -> str:
    """`Unreadable in ledger.history:27`, or `CheckViolation of payments_amount_check in …`: its
    kind and the last line of ours that it came through, and nothing that somebody has written."""
    rule = error.diag.constraint_name if isinstance(error, psycopg.Error) else None
    told = f"{type(error).__name__} of {rule}" if rule else type(error).__name__
    ours = [
        f" in {name}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if (name := str(frame.f_globals.get("__name__"))).partition(".")[0] in OURS
    ]
    return told + (ours[-1] if ours else "")


def forget(pool: Pool, session_id: UUID) -> None:
    """It is settled."""
    with pool.connection() as db:
        db.execute(FORGET, {"session_id": session_id})


def try_again(pool: Pool, session_id: UUID | None = None) -> int:
    """At once, and as if it had never failed; without an evening, all. How many there were."""
    with pool.connection() as db:
        db.execute(RING)
        if session_id is None:
            return db.execute(FORGET_ALL).rowcount
        return db.execute(FORGET, {"session_id": session_id}).rowcount


def tidy(pool: Pool) -> None:
    """Nothing is stuck where nothing is due any more: it was taken back, or settled elsewhere."""
    with pool.connection() as db:
        db.execute(TIDY)


def stuck(pool: Pool, session_id: UUID | None = None) -> list[Stuck]:
    """What is stuck, the longest first; of one evening or of all."""
    with pool.connection() as db:
        rows = db.execute(STUCK, {"session_id": session_id}).fetchall()
    return [
        Stuck(session_id=which, tries=tries, reason=reason, since=since, due=due)
        for which, tries, reason, since, due in rows
        if due
    ]
