"""A pool whose readers all see the book at one moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from ledger.store.connection_pool import Connection, Pool
from ledger.store.database_snapshot import database_snapshot


@contextmanager
def snapshot_pool(pool: Pool) -> Iterator[Pool]:
    """Yield a pool that lends one connection to all, in a read-only snapshot. One thread alone may
    use it, and nothing can be written through it."""
    with pool.connection() as db, database_snapshot(db):
        yield cast("Pool", _SharedConnection(db))


class _SharedConnection:
    """The methods of a pool that readers use."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    @contextmanager
    def connection(self, timeout: Any = None) -> Iterator[Connection]:
        yield self._db

    def getconn(self, timeout: Any = None) -> Connection:
        return self._db

    def putconn(self, conn: Connection) -> None:
        """Leave the snapshot open."""
