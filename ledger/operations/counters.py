"""Counters for operators, summed over all processes; a crash may lose the last second."""

import time
from collections import Counter
from threading import Event, Lock

import psycopg

from ledger.store.connection_pool import Pool

ADD_COUNTS = """
INSERT INTO vola.counters AS t (name, count)
SELECT name, count FROM unnest(%(names)s::text[], %(counts)s::bigint[]) AS counted (name, count)
 ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET count = t.count + excluded.count
"""  # in one order, so that processes cannot deadlock
COUNTERS = "SELECT name, count FROM vola.counters ORDER BY name"
WRITE_INTERVAL_SECONDS = 1


class Counters:
    """Counts in memory, and adds to the database once a second. Threads may share one."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._counts: Counter[str] = Counter()
        self._lock = Lock()
        self._written = time.monotonic()
        self.disk_full = False  # at the last attempt to write

    def add(self, name: str, count: int = 1) -> None:
        with self._lock:
            self._counts[name] += count

    def write(self, *, now: bool = False) -> None:
        """Add the counts to the database, once a second at most unless `now`. If that fails, they
        are added the next time."""
        with self._lock:
            if not now and time.monotonic() - self._written < WRITE_INTERVAL_SECONDS:
                return
            counts, self._counts = self._counts, Counter()
            self._written = time.monotonic()
        if not counts:
            return
        try:
            with self.pool.connection() as db:
                db.execute(ADD_COUNTS, {"names": list(counts), "counts": list(counts.values())})
            self.disk_full = False
        except psycopg.Error as error:
            self.disk_full = isinstance(error, psycopg.errors.DiskFull)
            with self._lock:
                self._counts += counts  # no count is worth failing the caller

    def run(self, stop: Event) -> None:
        """Write every second, until `stop` is set or the pool is closed."""
        while not (stop.wait(WRITE_INTERVAL_SECONDS) or self.pool.closed):
            self.write()


def read_counters(pool: Pool) -> dict[str, int]:
    """Return the total of every counter, by name."""
    with pool.connection() as db:
        return dict(db.execute(COUNTERS).fetchall())
