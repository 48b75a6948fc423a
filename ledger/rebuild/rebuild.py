"""Rebuild of all projections from the events, into shadow tables that then replace the old ones.

Every core folds batches of sessions while appends go on; only the swap locks them out. A rebuild
that fails or is killed leaves the projections as they were. Nothing is settled, notified or sent.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import psycopg

from ledger.rebuild import process_pool, shadow_schema
from ledger.rebuild.process_pool import ProcessPool, available_cores, connect_worker
from ledger.rebuild.shadow_schema import StreamVersions
from ledger.store.connection_pool import Connection, UnsuitableDatabase

HEADS = "SELECT session_id, version FROM vola.heads ORDER BY session_id"
LOCK_HEADS = "LOCK TABLE vola.heads IN SHARE ROW EXCLUSIVE MODE"
LOCK_REBUILD = "SELECT pg_advisory_lock(7316053)"  # excludes other rebuilds and audits
ASYNC_COMMIT = "SET LOCAL synchronous_commit = off"
"""The shadow tables need not be on disk before the swap, whose commit flushes them as well."""

EVENTS_PER_BATCH = 5_000
EVENTS_PER_PROCESS = 25_000
"""About as many events as one process folds in the time that another takes to start."""


@dataclass(frozen=True, kw_only=True)
class RebuildSummary:
    """What a rebuild wrote, and how many rows of the old projections were wrong or missing."""

    sessions: int
    events: int
    rows: int
    differed: int


def rebuild(
    owner_url: str,
    progress: Callable[[int], None] = lambda _: None,
    processes: int | None = None,
) -> RebuildSummary:
    """Fold all events and replace the projections with the result.

    `progress` is called with the number of sessions folded so far. `processes` defaults to one per
    core, and is lowered for a small book. Raises UnsuitableDatabase while a reader still uses the
    tables that the last rebuild replaced, and psycopg.Error when the role is not the owner.
    """
    if not shadow_schema.drop_old_schema(owner_url):
        raise UnsuitableDatabase(
            "Somebody still reads the tables from before the last rebuild; try again later."
        )
    with psycopg.connect(owner_url, autocommit=True) as db:
        db.execute(LOCK_REBUILD)
        heads = _read_heads(db)
        shadow_oid, rows, differed = _fold_all(db, owner_url, heads, processes, progress)
        differed += shadow_schema.count_orphan_rows(db)
        folded = dict(heads)
        with db.transaction():
            db.execute(LOCK_HEADS)  # short: only sessions that moved since are folded again
            moved = [head for head in _read_heads(db) if folded.get(head[0]) != head[1]]
            if moved:
                rows += shadow_schema.fill_tables(db, shadow_oid, moved, replace=True)
            folded |= moved
            for session_id, _ in moved:
                differed.pop(session_id, None)
            differed += shadow_schema.count_differing_rows(db, moved)
            shadow_schema.swap_schemas(db)
    shadow_schema.drop_old_schema(owner_url)
    return RebuildSummary(
        sessions=len(folded),
        events=sum(folded.values()),
        rows=rows,
        differed=differed.total(),
    )


def _read_heads(db: Connection) -> StreamVersions:
    return [(session_id, version) for session_id, version in db.execute(HEADS)]


def _fold_all(
    db: Connection,
    owner_url: str,
    heads: StreamVersions,
    processes: int | None,
    progress: Callable[[int], None],
) -> tuple[int, int, Counter[UUID]]:
    """Fold every session with all processes.

    Returns the oid of the shadow schema, how many rows were written, and how many rows differ by
    session.
    """
    events = sum(version for _, version in heads)
    most_processes = min(processes or available_cores(), 1 + events // EVENTS_PER_PROCESS)
    sessions, rows, differed = 0, 0, Counter[UUID]()
    with ProcessPool(most_processes - 1, connect_worker, owner_url) as pool:
        with db.transaction():
            shadow_oid = shadow_schema.create_tables(db)
        folds = partial(_fold_remotely, shadow_oid), partial(_fold_batch, db, shadow_oid)
        results = pool.map_unordered(_batches(heads), *folds)
        for batch_sessions, batch_rows, batch_differed in results:
            sessions, rows = sessions + batch_sessions, rows + batch_rows
            differed.update(batch_differed)
            progress(sessions)
    return shadow_oid, rows, differed


def _batches(heads: StreamVersions) -> Iterator[StreamVersions]:
    """Cut the sessions into batches of about EVENTS_PER_BATCH; a longer session is one batch."""
    batch, events = StreamVersions(), 0
    for session_id, version in heads:
        if batch and events + version > EVENTS_PER_BATCH:
            yield batch
            batch, events = StreamVersions(), 0
        batch.append((session_id, version))
        events += version
    if batch:
        yield batch


def _fold_batch(
    db: Connection, shadow_oid: int, streams: StreamVersions, replace: bool
) -> tuple[int, int, Counter[UUID]]:
    """Fold one batch in one transaction; return how many sessions it has, how many rows were
    written, and how many rows differ by session.

    The rows that differ are counted a moment after, while appends go on: a session that has moved
    by then is counted once more before the swap.
    """
    with db.transaction():
        db.execute(ASYNC_COMMIT)
        rows = shadow_schema.fill_tables(db, shadow_oid, streams, replace=replace)
        differed = shadow_schema.count_differing_rows(db, streams)
    return len(streams), rows, differed


def _fold_remotely(shadow_oid: int, streams: StreamVersions) -> tuple[int, int, Counter[UUID]]:
    return _fold_batch(process_pool.worker_connection, shadow_oid, streams, replace=False)
