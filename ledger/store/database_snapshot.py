"""A read-only snapshot of the whole database, for audits and backups."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ledger.store.connection_pool import Connection, UnsuitableDatabase, fetch_value

IS_REPLICA = "SELECT pg_is_in_recovery()"
WAL_POSITION = "SELECT pg_current_wal_lsn()::text"
HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= %(written)s::pg_lsn"
PAUSE = "SELECT pg_sleep(0.02)"
CATCH_UP_SECONDS = 10
ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class ReplicaLags(UnsuitableDatabase):
    """The replica has not yet replayed what the primary had written when the audit began."""


@contextmanager
def database_snapshot(db: Connection, primary: Connection | None = None) -> Iterator[None]:
    """Open a read-only snapshot of the whole database inside the `with`. `db` must not be in a
    transaction. If it is a connection to a replica, `primary` is one to its primary, and the
    snapshot contains what that has now. Raise ReplicaLags."""
    db.autocommit = True
    try:
        if primary and fetch_value(db, IS_REPLICA):
            wal_position = fetch_value(primary, WAL_POSITION)
            primary.commit()  # it is not needed any more
            _catch_up(db, wal_position)
        with db.transaction():
            db.execute(ONE_SNAPSHOT)
            yield
    finally:
        if not db.closed:
            db.autocommit = False


def _catch_up(db: Connection, wal_position: str) -> None:
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while not fetch_value(db, HAS_REPLAYED, {"written": wal_position}):
        if time.monotonic() > deadline:
            raise ReplicaLags(
                "DATABASE_AUDIT_URL leads to a server that follows the book and is too far "
                "behind it to be audited; try again when it has caught up."
            )
        db.execute(PAUSE)
