"""The reference for appends: psycopg writes rows durably through a pool, and nothing else.

Every append in Python takes at least this long.
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


class BareInserts:
    """A callable that writes `rows` rows in autocommit mode; threads may share it.

    Its pool does not check whether its connections are alive."""

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
        fields: list[object] = []
        for _ in range(self._rows):
            fields += self._session, next(self._versions), bytes(32)
        with self.pool.connection() as db:
            db.execute(self._insert, fields)


def by_threads(ready: Ready, url: str, seconds: float, writers: int, rows: int) -> float:
    """Return the rows per second that `writers` threads write, `rows` in each commit."""
    insert = BareInserts(url, connections=writers, rows=rows)

    def steps() -> Iterator[int]:
        while True:
            insert()
            yield rows

    try:
        return parallel_workers.run_threads(ready, writers, seconds, steps)
    finally:
        insert.pool.close()
