"""Sessions whose payments could not be settled: number of attempts, reason, and next retry.

Stored in the database, so that every relay and the operator see it. Deleting a failure retries at
once. The reason is the kind of the error and its place in the program; its message might quote a
row with personal data.
"""

from traceback import walk_tb
from uuid import UUID

import msgspec
import psycopg
from psycopg.rows import class_row

from ledger.store.connection_pool import Pool
from ledger.store.event_store import NOTIFY_DUE

FIRST_WAIT_MS = 250
LONGEST_WAIT_MS = 60_000
OUR_PACKAGES = ("engine", "ledger")

RECORD_FAILURE = """
INSERT INTO vola.settlement_failures AS s (session_id, attempts, reason, retry_at)
VALUES (%(session_id)s, 1, %(reason)s, clock_timestamp() + %(first)s * interval '1 millisecond')
ON CONFLICT (session_id) DO UPDATE
   SET attempts = s.attempts + 1, reason = excluded.reason,
       retry_at = clock_timestamp()
             + least(%(first)s * 2 ^ least(s.attempts, 20), %(longest)s) * interval '1 millisecond'
"""
DELETE_FAILURES = """
DELETE FROM vola.settlement_failures WHERE session_id = coalesce(%(session_id)s, session_id)
"""
DELETE_RESOLVED = """
DELETE FROM vola.settlement_failures s WHERE NOT EXISTS (
  SELECT FROM projections.payments p WHERE p.session_id = s.session_id AND p.status = 'due')
"""
FAILURES = """
SELECT s.session_id, s.attempts, s.reason,
       (extract(epoch FROM s.first_failed_at) * 1000000)::bigint AS since, p.due
  FROM vola.settlement_failures s
  JOIN (SELECT session_id, count(*) AS due FROM projections.payments
         WHERE status = 'due' GROUP BY session_id) p USING (session_id)
 WHERE (%(session_id)s::uuid IS NULL OR s.session_id = %(session_id)s) ORDER BY s.first_failed_at
"""


class SettlementFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A session that could not be settled. `since` in microseconds, UTC; `due`: how many payments;
    `reason`: see `describe_error`."""

    session_id: UUID
    attempts: int
    reason: str
    since: int
    due: int


def record_failure(pool: Pool, session_id: UUID, error: Exception) -> None:
    """Record a failed attempt; the next one waits twice as long, up to a minute."""
    failure = {"session_id": session_id, "reason": describe_error(error)}
    with pool.connection() as db:
        db.execute(RECORD_FAILURE, {**failure, "first": FIRST_WAIT_MS, "longest": LONGEST_WAIT_MS})


def describe_error(error: BaseException) -> str:
    """Return the kind of an error and the last line of Vola that it passed, without its message.

    Examples: `UnreadableEvent in ledger.store.read_stream:90`, or `CheckViolation of
    payments_amount_check in ledger.store.append_sql:64`.
    """
    rule = error.diag.constraint_name if isinstance(error, psycopg.Error) else None
    description = f"{type(error).__name__} of {rule}" if rule else type(error).__name__
    ours = [
        f" in {name}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if (name := str(frame.f_globals.get("__name__"))).partition(".")[0] in OUR_PACKAGES
    ]
    return description + (ours[-1] if ours else "")


def retry_now(pool: Pool, session_id: UUID | None = None) -> int:
    """Delete the failures of one session or of all, so that they are retried; return how many."""
    with pool.connection() as db:
        db.execute(NOTIFY_DUE)
        return db.execute(DELETE_FAILURES, {"session_id": session_id}).rowcount


def delete_resolved(pool: Pool) -> None:
    """Delete the failures of sessions that have no due payments any more."""
    with pool.connection() as db:
        db.execute(DELETE_RESOLVED)


def list_failures(pool: Pool, session_id: UUID | None = None) -> list[SettlementFailure]:
    """Return the failures, oldest first, of one session or of all."""
    with pool.connection() as db, db.cursor(row_factory=class_row(SettlementFailure)) as cursor:
        return cursor.execute(FAILURES, {"session_id": session_id}).fetchall()
