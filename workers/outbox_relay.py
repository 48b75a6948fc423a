"""Rings the doorbell for what is due, and settles by its own hand what stays due.

PostgreSQL tells it when something becomes due; it also looks by itself, so that nothing depends on
having heard. With no Redis at all the book is still settled, and an evening that cannot be settled
keeps nobody else waiting.
"""

import logging
import time
from threading import Event
from uuid import UUID

import psycopg
from redis import RedisError
from rq import Queue

from ledger import database, stuck
from ledger.database import Connection
from ledger.store import Store
from ledger.tallies import Tallies
from workers import queue
from workers.la_vola import settle_in

log = logging.getLogger("vola.relay")

LISTEN = "LISTEN vola_due"
DUE = """
SELECT session_id, (array_agg(payment_id ORDER BY due_at, payment_id))[1], max(due_at)
  FROM (SELECT p.session_id, p.payment_id, p.due_at FROM projections.payments p
          LEFT JOIN vola.stuck s ON s.session_id = p.session_id
         WHERE p.status = 'due' AND (s.again IS NULL OR s.again <= clock_timestamp())
         ORDER BY p.due_at LIMIT %(limit)s) AS due
 GROUP BY session_id ORDER BY min(due_at)
"""
KNOWN_TO_STICK = "SELECT session_id FROM vola.stuck"

LOOK_SECONDS = 0.25
PATIENCE_SECONDS = 1.0
"""How long an evening that was rung for may stay due before the relay settles it itself."""
DEAF_SECONDS = 5.0
"""How long a bell that could not be rung is left alone."""
SWEEP_SECONDS = 60.0
MOST_AT_ONCE = 2000

Due = tuple[UUID, str, int]
"""An evening, one of its payments, and when the last of them became due."""


class Relay:
    """Follows what is due in one database. `bell` is None when there is no Redis."""

    def __init__(
        self, store: Store, url: str, bell: Queue | None, tallies: Tallies | None = None
    ) -> None:
        self.store, self.url, self.bell = store, url, bell
        self.tallies = tallies or Tallies(store.pool)
        self.rung: dict[UUID, tuple[int, float]] = {}  # for what was due by when, and since when
        self.deaf_until = self.swept = 0.0

    def run(self, stop: Event) -> None:
        """Until told to stop. Whatever goes wrong is said and tried again: nobody else would."""
        while not stop.is_set():
            try:
                with psycopg.connect(database.road(self.url), autocommit=True) as db:
                    db.execute(LISTEN)
                    while not stop.is_set():
                        self.look(db)
                        self.tallies.write()
                        self.sweep()
                        for _ in db.notifies(timeout=LOOK_SECONDS, stop_after=1):
                            pass
            except psycopg.Error as error:
                log.warning("the database is out of reach: %s", error)
            except Exception:
                log.exception("the relay stumbled")
            stop.wait(LOOK_SECONDS)

    def look(self, db: Connection) -> None:
        """Settle what nobody came for, then ring for what is new."""
        due: list[Due] = db.execute(DUE, {"limit": MOST_AT_ONCE}).fetchall()
        sticking = {session_id for (session_id,) in db.execute(KNOWN_TO_STICK)}
        still = {session_id for session_id, _, _ in due}
        self.rung = {which: when for which, when in self.rung.items() if which in still}
        now = time.monotonic()
        for session_id, _, latest in due:
            _, since = self.rung.get(session_id, (latest, now))
            if session_id in sticking or now - since > PATIENCE_SECONDS:
                self._settle(session_id, again=session_id in sticking)
        for session_id, payment_id, latest in due:
            if session_id in sticking or self.rung.get(session_id, (0, 0.0))[0] >= latest:
                continue
            self.rung[session_id] = latest, now
            if not self._ring(session_id, payment_id):
                self._settle(session_id)

    def sweep(self) -> None:
        """RQ keeps lists of what failed; what is owed is in the book, so they are thrown away."""
        if time.monotonic() - self.swept < SWEEP_SECONDS:
            return
        self.swept = time.monotonic()
        stuck.tidy(self.store.pool)
        if self.bell is None:
            return
        try:
            queue.sweep(self.bell)
        except (RedisError, OSError) as error:
            log.warning("the doorbell's lists were not swept: %s", error)

    def _ring(self, session_id: UUID, payment_id: str) -> bool:
        if self.bell is None or time.monotonic() < self.deaf_until:
            return False
        try:
            queue.ring(self.bell, str(session_id), payment_id)
        except (RedisError, OSError) as error:
            log.warning("the doorbell is out of reach: %s", error)
            self.deaf_until = time.monotonic() + DEAF_SECONDS
            self.tallies.add("not_rung")
            return False
        self.tallies.add("rung")
        return True

    def _settle(self, session_id: UUID, *, again: bool = False) -> None:
        if again:
            self.tallies.add("tried_again")
        try:
            settle_in(self.store, self.tallies, session_id, "relay", waits=False)
        except psycopg.errors.LockNotAvailable:
            self.rung.pop(session_id, None)  # somebody writes in it; the others need not wait
        except Exception as error:
            log.warning("payments of an evening stay due (`vola stuck`): %s", error)
            self.rung.pop(session_id, None)  # when it is to be tried again, it is tried at once
        else:
            if again:
                stuck.forget(self.store.pool, session_id)
