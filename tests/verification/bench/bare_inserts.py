"""Rows that are durably written by psycopg out of a pool, and nothing else: whatever Python does to
append an event, it does at least this.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from uuid import uuid4

from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from tests.verification.bench import parallel_workers
from tests.verification.bench.parallel_workers import Ready

INSERT = 'INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash) VALUES '
ROW = """(%s, %s, 'trick_recorded', 1, 1795000000000000, 'host.0', '{"winner":"p1"}', %s)"""


class Bare:
    """Writes so many rows whenever it is called; threads may share it. In autocommit, out of a pool
    that does not look whether its connections live."""

    def __init__(self, url: str, *, connections: int, rows: int = 1) -> None:
        self.pool = ConnectionPool(
            make_conninfo(url),
            min_size=connections,
            max_size=connections,
            kwargs={"autocommit": True},
            open=True,
        )
        self._session, self._versions = uuid4(), count(1)
        self._rows, self._insert = rows, INSERT + ", ".join([ROW] * rows)

    def __call__(self) -> None:
        fields = list[object]()
        for _ in range(self._rows):
            fields += self._session, next(self._versions), bytes(32)
        with self.pool.connection() as db:
            db.execute(self._insert, fields)


def by_threads(ready: Ready, url: str, seconds: float, writers: int, rows: int) -> float:
    """Rows a second of so many threads of this process, so many a commit."""
    insert = Bare(url, connections=writers, rows=rows)

    def steps() -> Iterator[int]:
        while True:
            insert()
            yield rows

    try:
        return parallel_workers.by_threads(ready, writers, seconds, steps)
    finally:
        insert.pool.close()
