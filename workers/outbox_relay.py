"""The outbox relay: enqueues a job for each session with due payments, and settles what stays due.

PostgreSQL notifies it; it also polls, so a lost notification does no harm. Without Redis it settles
everything itself. A session that cannot be settled does not delay the others.
"""

import logging
import time
from contextlib import suppress
from threading import Event
from uuid import UUID

import psycopg
from redis import RedisError
from rq import Queue

from ledger.operations import settlement_failures
from ledger.operations.counters import Counters
from ledger.store.connection_pool import Connection, reliable_conninfo
from ledger.store.event_store import EventStore
from workers import queue
from workers.outage_log import OutageLog
from workers.settle_job import NotSettled, settle_session

log = logging.getLogger("vola.relay")

LISTEN = "LISTEN vola_due"
DUE_PAYMENTS = """
SELECT session_id, (array_agg(payment_id ORDER BY due_at, payment_id))[1], max(due_at)
  FROM (SELECT p.session_id, p.payment_id, p.due_at FROM projections.payments p
          LEFT JOIN vola.settlement_failures s ON s.session_id = p.session_id
         WHERE p.status = 'due'
           AND (s.retry_at IS NULL OR s.retry_at <= clock_timestamp()
                OR s.retry_at > clock_timestamp() + %(longest)s * interval '1 millisecond')
         ORDER BY p.due_at LIMIT %(limit)s) AS due
 GROUP BY session_id ORDER BY min(due_at)
"""
"""A retry further away than the longest wait is due: the clock was set back."""
FAILED_SESSIONS = "SELECT session_id FROM vola.settlement_failures"

POLL_SECONDS = 0.25
WORKER_TIMEOUT_SECONDS = 1.0
"""How long an enqueued session may stay due before the relay settles it itself."""
QUEUE_PAUSE_SECONDS = 5.0
"""How long the relay settles by itself before it tries an unreachable queue again."""
CLEAN_UP_SECONDS = 60.0
BATCH_PAYMENTS = 2000

DueSession = tuple[UUID, str, int]
"""A session, one of its due payments, and when the last of them became due."""


class OutboxRelay:
    """Relays the due payments of one database. `job_queue` is None when there is no Redis."""

    def __init__(
        self, store: EventStore, url: str, job_queue: Queue | None, counters: Counters | None = None
    ) -> None:
        self.store, self.url, self.queue = store, url, job_queue
        self.counters = counters or Counters(store.pool)
        self.enqueued: dict[UUID, tuple[int, float]] = {}  # latest due time, and when enqueued
        self.queue_paused_until = self.cleaned_up_at = 0.0
        self.redis_outage_log = OutageLog(log, "Redis")
        self.last_error: str | None = None  # that kept the last session from being settled

    def run(self, stop: Event) -> None:
        """Poll until `stop` is set. Every error is logged, and polling goes on."""
        outage_log = OutageLog(log, "the database")
        while not stop.is_set():
            try:
                with psycopg.connect(reliable_conninfo(self.url), autocommit=True) as db:
                    db.execute(LISTEN)
                    while not stop.is_set():
                        self.poll(db)
                        outage_log.note_answer()
                        self.counters.write()
                        self.clean_up()
                        for _ in db.notifies(timeout=POLL_SECONDS, stop_after=1):
                            pass
            except psycopg.Error as error:
                outage_log.note_failure(error)
            except Exception:
                log.exception("the relay failed, and goes on")
            stop.wait(POLL_SECONDS)

    def poll(self, db: Connection) -> None:
        """Settle what no worker has settled in time, then enqueue what is new."""
        due: list[DueSession] = db.execute(
            DUE_PAYMENTS, {"limit": BATCH_PAYMENTS, "longest": settlement_failures.LONGEST_WAIT_MS}
        ).fetchall()
        failed_sessions = {session_id for (session_id,) in db.execute(FAILED_SESSIONS)}
        self.enqueued = {
            session_id: self.enqueued[session_id]
            for session_id, _, _ in due
            if session_id in self.enqueued
        }
        now = time.monotonic()
        for session_id, _, latest in due:
            _, enqueued_since = self.enqueued.get(session_id, (latest, now))
            if session_id in failed_sessions or now - enqueued_since > WORKER_TIMEOUT_SECONDS:
                self._settle(session_id, is_retry=session_id in failed_sessions)
        for session_id, payment_id, latest in due:
            if (
                session_id in failed_sessions
                or self.enqueued.get(session_id, (0, 0.0))[0] >= latest
            ):
                continue
            self.enqueued[session_id] = latest, now
            if not self._enqueue(session_id, payment_id):
                self._settle(session_id)

    def clean_up(self) -> None:
        """Delete failed jobs from Redis; what is due is in PostgreSQL."""
        if time.monotonic() - self.cleaned_up_at < CLEAN_UP_SECONDS:
            return
        self.cleaned_up_at = time.monotonic()
        # a database that can only be read is no outage; `_settle` logs it where anything is due
        with suppress(psycopg.errors.ReadOnlySqlTransaction):
            settlement_failures.delete_resolved(self.store.pool)
        if self.queue is None:
            return
        try:
            queue.delete_failed_jobs(self.queue)
        except (RedisError, OSError) as error:
            self.redis_outage_log.note_failure(error)

    def _enqueue(self, session_id: UUID, payment_id: str) -> bool:
        if self.queue is None or time.monotonic() < self.queue_paused_until:
            return False
        try:
            queue.enqueue_settlement(self.queue, str(session_id), payment_id)
        except (RedisError, OSError) as error:
            self.redis_outage_log.note_failure(error)
            self.queue_paused_until = time.monotonic() + QUEUE_PAUSE_SECONDS
            self.counters.add("not_enqueued")
            return False
        self.redis_outage_log.note_answer()
        self.counters.add("enqueued")
        return True

    def _settle(self, session_id: UUID, *, is_retry: bool = False) -> None:
        if is_retry:
            self.counters.add("retried")
        try:
            settle_session(self.store, self.counters, session_id, "relay", waits=False)
        except psycopg.errors.LockNotAvailable:
            self.enqueued.pop(session_id, None)  # a request is writing in it
        except NotSettled as error:
            log.warning("payments of a session stay due (`vola settlement-failures`): %s", error)
            self.enqueued.pop(session_id, None)  # retried once `retry_at` comes
        except Exception as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            if reason != self.last_error:  # once, because each poll tries again
                log.warning("payments stay due: %s", reason)
            self.last_error = reason
            self.enqueued.pop(session_id, None)
        else:
            self.last_error = None
            if is_retry:
                settlement_failures.delete_resolved(self.store.pool)
