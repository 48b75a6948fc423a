"""Rings the doorbell for what is due, and settles by its own hand what stays due.

PostgreSQL tells it when something becomes due; it also looks by itself, so that nothing depends on
having heard. With no Redis at all the book is still settled.
"""

import logging
import time
from collections.abc import Iterable
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
MOST_AT_ONCE = 500

Leg = tuple[UUID, str]


class Relay:
    """Follows what is due in one database. `bell` is None when there is no Redis."""

    def __init__(self, store: Store, url: str, bell: Queue | None) -> None:
        self.store, self.url, self.bell = store, url, bell
        self.rung: dict[Leg, float] = {}

    def run(self, stop: Event) -> None:
        """Until told to stop. A lost database is waited for."""
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
                stop.wait(LOOK_SECONDS)

    def look(self, db: Connection) -> None:
        """Ring for every payment that is due; settle those that nobody came for."""
        due: list[Leg] = db.execute(DUE, {"limit": MOST_AT_ONCE}).fetchall()
        self._forget_all_but(due)
        now = time.monotonic()
        for leg in due:
            since = self.rung.setdefault(leg, now)
            heard = since < now or self._ring(leg)
            if not heard or now - since > PATIENCE_SECONDS:
                self._settle(leg)

    def _ring(self, leg: Leg) -> bool:
        if self.bell is None:
            return False
        try:
            ring(self.bell, str(leg[0]), leg[1])
        except (RedisError, OSError) as error:
            log.warning("the doorbell is out of reach: %s", error)
            return False
        return True

    def _settle(self, leg: Leg) -> None:
        try:
            self.store.settle(*leg)
        except psycopg.Error as error:
            log.warning("payment %s stays due: %s", leg[1], error)

    def _forget_all_but(self, due: Iterable[Leg]) -> None:
        still = set(due)
        self.rung = {leg: since for leg, since in self.rung.items() if leg in still}
