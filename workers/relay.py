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

from ledger.database import Connection
from ledger.store import Store
from workers.queue import ring

log = logging.getLogger("vola.relay")

LISTEN = "LISTEN vola_due"
DUE = """
SELECT session_id, payment_id FROM projections.payments
 WHERE status = 'due' ORDER BY due_at LIMIT %(limit)s
"""

LOOK_SECONDS = 0.25
PATIENCE_SECONDS = 1.0
"""How long a rung payment may stay due before the relay settles it itself."""
DEAF_SECONDS = 5.0
"""How long a bell that could not be rung is left alone."""
LONGEST_WAIT_SECONDS = 60.0
"""Between two tries at a payment that cannot be settled."""
MOST_AT_ONCE = 500

Leg = tuple[UUID, str]


class Relay:
    """Follows what is due in one database. `bell` is None when there is no Redis."""

    def __init__(self, store: Store, url: str, bell: Queue | None) -> None:
        self.store, self.url, self.bell = store, url, bell
        self.rung: dict[Leg, float] = {}
        self.deaf_until = 0.0
        self.stuck: dict[
            Leg, tuple[float, float]
        ] = {}  # when to try again, and the wait after that

    def run(self, stop: Event) -> None:
        """Until told to stop. Whatever goes wrong is said and tried again: nobody else would."""
        while not stop.is_set():
            try:
                with psycopg.connect(self.url, autocommit=True) as db:
                    db.execute(LISTEN)
                    while not stop.is_set():
                        self.look(db)
                        for _ in db.notifies(timeout=LOOK_SECONDS, stop_after=1):
                            pass
            except psycopg.Error as error:
                log.warning("the database is out of reach: %s", error)
            except Exception:
                log.exception("the relay stumbled")
            stop.wait(LOOK_SECONDS)

    def look(self, db: Connection) -> None:
        """Settle what nobody came for, then ring for what is new."""
        limit = MOST_AT_ONCE + len(self.stuck)  # those that are stuck do not crowd out the others
        due: list[Leg] = db.execute(DUE, {"limit": limit}).fetchall()
        self._forget_all_but(set(due))
        now = time.monotonic()
        for leg in due:
            if now - self.rung.get(leg, now) > PATIENCE_SECONDS:
                self._settle(leg)
        for leg in due:
            if leg not in self.rung:
                self.rung[leg] = now
                if not self._ring(leg):
                    self._settle(leg)

    def _ring(self, leg: Leg) -> bool:
        if self.bell is None or time.monotonic() < self.deaf_until:
            return False
        try:
            ring(self.bell, str(leg[0]), leg[1])
        except (RedisError, OSError) as error:
            log.warning("the doorbell is out of reach: %s", error)
            self.deaf_until = time.monotonic() + DEAF_SECONDS
            return False
        return True

    def _settle(self, leg: Leg) -> None:
        again, wait = self.stuck.get(leg, (0.0, LOOK_SECONDS))
        if time.monotonic() < again:
            return
        try:
            self.store.settle(*leg)
        except Exception as error:
            log.warning("payment %s of %s stays due: %r", leg[1], leg[0], error)
            self.stuck[leg] = (time.monotonic() + wait, min(2 * wait, LONGEST_WAIT_SECONDS))

    def _forget_all_but(self, still: set[Leg]) -> None:
        self.rung = {leg: since for leg, since in self.rung.items() if leg in still}
        self.stuck = {leg: when for leg, when in self.stuck.items() if leg in still}
