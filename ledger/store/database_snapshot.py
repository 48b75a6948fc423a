"""A read-only snapshot of the whole database, for audits and backups; rebuilds wait for its end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, LiteralString

from ledger.store.connection_pool import Connection, UnsuitableDatabase

WAIT_FOR_REBUILD = "SELECT pg_advisory_lock_shared(7316053)"
TRY_BLOCK_REBUILD = "SELECT pg_try_advisory_lock_shared(7316053)"
ALLOW_REBUILD = "SELECT pg_advisory_unlock_shared(7316053)"
IS_REPLICA = "SELECT pg_is_in_recovery()"
WAL_POSITION = "SELECT pg_current_wal_lsn()::text"
HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= %(written)s::pg_lsn"
PAUSE = "SELECT pg_sleep(0.02)"
CATCH_UP_SECONDS = 10
ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class RebuildRunning(Exception):
    """A rebuild is replacing the projections, so they cannot be audited."""


class ReplicaLags(UnsuitableDatabase):
    """The replica has not yet replayed what the primary had written when the audit began."""


@contextmanager
def database_snapshot(
    db: Connection, leader: Connection | None = None, *, waits: bool = True
) -> Iterator[None]:
    """Open a read-only snapshot of the whole database, and block rebuilds, inside the `with`.

    (The tables of a later rebuild would look empty in the snapshot.) `db` must not be in a
    transaction. If it is a connection to a replica, `leader` is one to the primary, and the
    snapshot contains what the primary has now. Raises ReplicaLags, and RebuildRunning unless
    `waits`.
    """
    is_replica = leader is not None and _scalar(db, IS_REPLICA)
    with _block_rebuild(leader if leader and is_replica else db, waits=waits):
        if leader and is_replica:
            _catch_up(db, str(_scalar(leader, WAL_POSITION)))
        db.autocommit = True
        try:
            with db.transaction():
                db.execute(ONE_SNAPSHOT)
                yield
        finally:
            if not db.closed:
                db.autocommit = False


@contextmanager
def _block_rebuild(db: Connection, *, waits: bool) -> Iterator[None]:
    """Hold the advisory lock, on the primary: a replica has locks of its own."""
    if waits:
        db.execute(WAIT_FOR_REBUILD)
    elif not _scalar(db, TRY_BLOCK_REBUILD):
        raise RebuildRunning
    db.commit()  # held by the connection
    try:
        yield
    finally:
        if not db.closed:
            db.execute(ALLOW_REBUILD)
            db.commit()


def _catch_up(db: Connection, wal_position: str) -> None:
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while not _scalar(db, HAS_REPLAYED, written=wal_position):
        if time.monotonic() > deadline:
            raise ReplicaLags(
                "DATABASE_AUDIT_URL leads to a server that follows the book and is too far "
                "behind it to be audited; try again when it has caught up."
            )
        db.execute(PAUSE)


def _scalar(db: Connection, query: LiteralString, **ask: object) -> Any:
    row = db.execute(query, ask).fetchone()
    db.commit()
    return row[0] if row else None
