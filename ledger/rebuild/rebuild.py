"""Rebuild of all projections from the events.

Every core folds batches of sessions and compares the result with the stored rows. A session whose
rows differ is locked, folded again and repaired in a transaction of its own. Appends to every
other session go on, and a rebuild that fails or is killed leaves each session either repaired or
as it was. Nothing is settled, notified or sent.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.events.codec import EVENT_CLASSES
from ledger.events.hash_chain import GENESIS_HASH, HashedFields, hash_event
from ledger.events.recorded_event import UnreadableEvent
from ledger.rebuild import process_pool
from ledger.rebuild.process_pool import ProcessPool, available_cores, connect_worker
from ledger.session.gc_pause import pause_gc
from ledger.session.session_state import TABLE_ONLY_EVENTS, SessionState, apply_events
from ledger.store.append_sql import WRITE_CHANGES, encode
from ledger.store.connection_pool import Connection
from ledger.store.database_snapshot import ONE_SNAPSHOT
from ledger.store.projection_rows import STATE_FIELDS, ProjectionRows, folded_rows, stored_rows
from ledger.store.read_stream import EVENTS, read_stream

HEADS = "SELECT session_id, version FROM vola.heads ORDER BY session_id"
LOCK_HEAD = "SELECT FROM vola.heads WHERE session_id = %(session_id)s FOR UPDATE"
INCOMPLETE_SESSIONS = """
SELECT session_id FROM vola.heads h
 WHERE session_id = ANY(%(session_ids)s) AND version <> (
       SELECT count(*) FROM vola.events e
        WHERE e.session_id = h.session_id AND e.version <= h.version)
"""
TABLE_ONLY_TYPES = sql.SQL(", ").join(
    name for name, event_class in EVENT_CLASSES.items() if event_class in TABLE_ONLY_EVENTS
)
EVENTS_WITH_ROWS = (
    sql.SQL("""
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(after)s AND version <= %(upto)s
   AND type NOT IN ({})
 ORDER BY version
""")
    .format(TABLE_ONLY_TYPES)
    .as_string(None)
)
"""The events that can change a row: two of five."""
DELETE_ROWS = {
    "payments": """
DELETE FROM projections.payments WHERE session_id = %(session_id)s AND payment_id = ANY(%(keys)s)
""",
    "journal": """
DELETE FROM projections.journal
 WHERE session_id = %(session_id)s AND version || '.' || line = ANY(%(keys)s)
""",
}
DELETE_ORPHANS = (
    "DELETE FROM projections.payments WHERE session_id NOT IN (SELECT session_id FROM vola.heads)",
    "DELETE FROM projections.journal WHERE session_id NOT IN (SELECT session_id FROM vola.heads)",
)

EVENTS_PER_BATCH = 5_000
EVENTS_PER_PROCESS = 25_000
"""About as many events as one process folds in the time in which another is spawned."""


class DamagedSession(Exception):
    """A session cannot be folded; the message names it and what to do."""

    def __init__(self, session_id: UUID, fault: str) -> None:
        super().__init__(session_id, fault)

    def __str__(self) -> str:
        session_id, fault = self.args
        return (
            f"Session {session_id} cannot be rebuilt: {fault}. `vola audit` names the first "
            f"version that is wrong."
        )


class RebuildSummary(NamedTuple):
    """What a rebuild folded, how many rows that gave, and how many rows only the events or only the
    tables had: a changed row counts twice."""

    sessions: int = 0
    events: int = 0
    rows: int = 0
    differed: int = 0

    def add(self, summary: "RebuildSummary") -> "RebuildSummary":
        return RebuildSummary(*map(sum, zip(self, summary, strict=True)))


def rebuild(
    owner_url: str, progress: Callable[[int], None] = lambda _: None, processes: int | None = None
) -> RebuildSummary:
    """Fold all events, and repair the projections where they are not the result.

    `progress` is called with the number of sessions compared so far. `processes` defaults to one
    per core, and is lowered for a small book. Raise DamagedSession or UnreadableEvent at the first
    session that cannot be folded; psycopg.Error when the role is not the owner.
    """
    with psycopg.connect(owner_url, autocommit=True) as db:
        heads: list[tuple[UUID, int]] = db.execute(HEADS).fetchall()
        events = sum(version for _, version in heads)
        most_processes = min(processes or available_cores(), 1 + events // EVENTS_PER_PROCESS)
        with ProcessPool(most_processes - 1, connect_worker, owner_url) as pool:
            orphans = sum(db.execute(statement).rowcount for statement in DELETE_ORPHANS)
            summary = RebuildSummary(differed=orphans)
            for batch_summary in pool.map_unordered(
                _batches(heads), _rebuild_remotely, partial(_rebuild_batch, db)
            ):
                summary = summary.add(batch_summary)
                progress(summary.sessions)
    return summary


def _batches(heads: list[tuple[UUID, int]]) -> Iterator[list[UUID]]:
    """Cut the sessions into batches of about EVENTS_PER_BATCH; a longer session is one batch."""
    events = 0
    batch: list[UUID] = []
    for session_id, version in heads:
        if batch and events + version > EVENTS_PER_BATCH:
            yield batch
            batch, events = [], 0
        batch.append(session_id)
        events += version
    if batch:
        yield batch


def _rebuild_remotely(session_ids: list[UUID]) -> RebuildSummary:
    return _rebuild_batch(process_pool.worker_connection, session_ids)


def _rebuild_batch(db: Connection, session_ids: list[UUID]) -> RebuildSummary:
    """Compare these sessions in one snapshot, which blocks no append, and repair those that differ.
    A batch that a killed worker has begun can be repeated: what is repaired no longer differs."""
    events, rows = 0, 0
    differing: list[UUID] = []
    with pause_gc(), db.transaction():
        db.execute(ONE_SNAPSHOT)
        _refuse_incomplete_sessions(db, session_ids)
        for session_id, rows_of_session in zip(
            session_ids, stored_rows(db, session_ids), strict=True
        ):
            head, stored, folded = _compare(db, session_id, rows_of_session)
            events += head["version"]
            rows += 1 + sum(map(len, folded.tables.values()))
            if stored != folded:
                differing.append(session_id)
    differed = sum(repair_session(db, session_id) for session_id in differing)
    return RebuildSummary(len(session_ids), events, rows, differed)


def _refuse_incomplete_sessions(db: Connection, session_ids: list[UUID]) -> None:
    """Raise DamagedSession if a session lacks an event."""
    incomplete = db.execute(INCOMPLETE_SESSIONS, {"session_ids": session_ids}).fetchone()
    if incomplete:
        raise DamagedSession(incomplete[0], "it lacks events")


def _compare(
    db: Connection, session_id: UUID, rows: ProjectionRows
) -> tuple[dict[str, Any], ProjectionRows, ProjectionRows]:
    """Return the head of a session, its stored rows, and those that its events give. Of the head,
    only what the events add up to is compared: the rest belongs to the hash chain, and a rebuild
    must not hide that it was changed. No row needs the table state in the fold."""
    head, tables = rows
    assert head is not None, "a listed session has a head"
    events = read_stream(db, session_id, 0, head["version"], EVENTS_WITH_ROWS)
    try:
        session, lines = apply_events(SessionState(id=session_id), events, with_table=False)
        folded_head, folded_tables = folded_rows(session, lines)
    except (psycopg.Error, UnreadableEvent):
        raise
    except Exception as error:  # a forged event may break anything
        raise DamagedSession(session_id, "its events cannot have happened") from error
    state = {column: head[column] for column in STATE_FIELDS}
    folded_state = {column: folded_head[column] for column in STATE_FIELDS}
    return head, ProjectionRows(state, tables), ProjectionRows(folded_state, folded_tables)


def _has_valid_chain(db: Connection, session_id: UUID, head: dict[str, Any]) -> bool:
    """Return whether every event has the hash of its bytes, and the head the hash of the last."""
    previous_hash = GENESIS_HASH
    parameters = {"session_id": session_id, "after": 0, "upto": head["version"]}
    for *fields, stored_hash in db.execute(EVENTS, parameters):
        if hash_event(session_id, HashedFields(*fields), previous_hash) != stored_hash:
            return False
        previous_hash = stored_hash
    return bool(head["hash"] == f"\\x{previous_hash.hex()}")


def repair_session(db: Connection, session_id: UUID) -> int:
    """Make the stored rows of a session what its events give, once their hash chain holds; return
    how many rows only one of the two had."""
    with db.transaction():
        db.execute(LOCK_HEAD, {"session_id": session_id})
        _refuse_incomplete_sessions(db, [session_id])
        (rows_of_session,) = stored_rows(db, [session_id])
        head, stored, folded = _compare(db, session_id, rows_of_session)
        if not _has_valid_chain(db, session_id, head):
            raise DamagedSession(session_id, "its hash chain does not hold")
        changed = 0 if stored.head == folded.head else 2
        document: dict[str, Any] = {"head": folded.head}
        for table, rows in folded.tables.items():
            wrong, missing = stored.tables[table] - rows, rows - stored.tables[table]
            keys = [row[0] if table == "payments" else f"{row[0]}.{row[1]}" for row in wrong]
            db.execute(DELETE_ROWS[table], {"session_id": session_id, "keys": keys})
            document[table] = list(missing)
            changed += len(wrong) + len(missing)
        parameters = {"session_id": session_id, "document": encode(document).decode()}
        db.execute(WRITE_CHANGES, parameters)
    return changed
