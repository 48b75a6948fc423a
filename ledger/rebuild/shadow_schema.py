"""The shadow schema of a rebuild: a copy of the projection tables that is filled and swapped in.

The tables are committed empty, so that several processes can fill them. A rebuild that fails
leaves them behind, and the next one drops them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.session.gc_pause import pause_gc
from ledger.session.session_state import SessionState, apply_events
from ledger.store.connection_pool import Connection
from ledger.store.projection_rows import COLUMNS, Row, journal_row, session_rows
from ledger.store.read_stream import read_stream

SHADOW, LIVE = "projections_shadow", "projections"

DROP_SHADOW = "DROP SCHEMA IF EXISTS projections_shadow CASCADE"
CREATE_SHADOW = "CREATE SCHEMA projections_shadow"
CREATE_TABLE = "CREATE TABLE {shadow}.{table} (LIKE {live}.{table} INCLUDING ALL)"
PARTITION_KEYS = """
SELECT relname, pg_get_partkeydef(oid) FROM pg_class
 WHERE relnamespace = 'projections'::regnamespace AND relkind = 'p'
"""
PARTITIONS = """
SELECT c.relname, of.relname, pg_get_expr(c.relpartbound, c.oid)
  FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class of ON of.oid = i.inhparent
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relispartition AND c.relkind = 'r'
"""
CREATE_PARTITION = "CREATE TABLE {} PARTITION OF {} {}"
GRANTS = """
SELECT DISTINCT grantee::regrole::text, privilege_type
  FROM pg_class, aclexplode(relacl)
 WHERE oid = 'projections.pot'::regclass AND grantee <> relowner AND grantee <> 0
"""
STORAGE_OPTIONS = """
SELECT c.relname, c.reloptions FROM pg_class c
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
"""
LOCK_TABLES = "LOCK TABLE {} IN ROW EXCLUSIVE MODE"
SHADOW_OID = "SELECT 'projections_shadow'::regnamespace::oid"
DELETE_SESSIONS = "DELETE FROM {shadow}.{table} WHERE session_id = ANY(%(sessions)s)"
COPY = "COPY {shadow}.{table} FROM STDIN (FORMAT BINARY)"
COLUMN_TYPES = """
SELECT c.relname, array_agg(a.atttypid::bigint ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
 WHERE c.relnamespace = 'projections_shadow'::regnamespace AND c.relname = ANY(%(tables)s)
 GROUP BY c.relname
"""
DIFFERING_ROWS = """
WITH live AS (SELECT * FROM {live}.{table} WHERE session_id = ANY(%(sessions)s)),
     shadow AS (SELECT * FROM {shadow}.{table} WHERE session_id = ANY(%(sessions)s))
SELECT session_id, count(*)
  FROM ((TABLE live EXCEPT ALL TABLE shadow) UNION ALL (TABLE shadow EXCEPT ALL TABLE live)) AS d
 GROUP BY session_id
"""
ORPHAN_ROWS = """
SELECT session_id, count(*) FROM {live}.{table} AS t
 WHERE NOT EXISTS (SELECT FROM vola.heads h WHERE h.session_id = t.session_id)
 GROUP BY session_id
"""
SWAP = (
    "ALTER SCHEMA projections RENAME TO projections_old",
    "ALTER SCHEMA projections_shadow RENAME TO projections",
)
DROP_OLD = "DROP SCHEMA IF EXISTS projections_old CASCADE"
LOCK_TIMEOUT = "SET lock_timeout = '500ms'"

StreamVersions = list[tuple[UUID, int]]
"""Session ids, each with the version up to which its events count."""


class ShadowReplaced(Exception):
    """The shadow tables belong to a later rebuild than the one that wanted to fill them."""


def create_tables(db: Connection) -> int:
    """Create the empty tables and return the oid of their schema, which identifies the rebuild."""
    db.execute(DROP_SHADOW)
    db.execute(CREATE_SHADOW)
    partition_keys: dict[str, str] = dict(db.execute(PARTITION_KEYS).fetchall())
    for table in COLUMNS:
        key = partition_keys.get(table)
        partition_by = sql.SQL(f" PARTITION BY {key}" if key else "")
        db.execute(_qualified(CREATE_TABLE, table) + partition_by)
    for partition, table, bounds in db.execute(PARTITIONS).fetchall():
        names = sql.Identifier(SHADOW, partition), sql.Identifier(SHADOW, table)
        db.execute(sql.SQL(CREATE_PARTITION).format(*names, sql.SQL(bounds)))
    for table, options in db.execute(STORAGE_OPTIONS).fetchall():
        settings = sql.SQL(", ").join(sql.SQL(option) for option in options)
        target = sql.Identifier(SHADOW, table)
        db.execute(sql.SQL("ALTER TABLE {} SET ({})").format(target, settings))
    schema = sql.Identifier(SHADOW)
    for role_name, privilege in db.execute(GRANTS).fetchall():
        role = sql.SQL(role_name)  # regrole has quoted it already
        db.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role))
        grant = sql.SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}")
        db.execute(grant.format(sql.SQL(privilege), schema, role))
    return _scalar(db, SHADOW_OID)


def fill_tables(db: Connection, shadow_oid: int, streams: StreamVersions, *, replace: bool) -> int:
    """Fold these sessions into the shadow tables and return how many rows were written.

    Runs in the caller's transaction. `replace` deletes rows that an earlier attempt has left.
    Raises ShadowReplaced, so that a process that outlives its rebuild cannot write into the next.
    """
    tables = sql.SQL(", ").join(sql.Identifier(SHADOW, table) for table in COLUMNS)
    db.execute(sql.SQL(LOCK_TABLES).format(tables))  # no other rebuild may drop them now
    if _scalar(db, SHADOW_OID) != shadow_oid:
        raise ShadowReplaced
    if replace:
        parameters = {"sessions": [session_id for session_id, _ in streams]}
        for table in COLUMNS:
            db.execute(_qualified(DELETE_SESSIONS, table), parameters)
    rows: dict[str, list[Any]] = {table: [] for table in COLUMNS}
    with pause_gc():
        for session_id, version in streams:
            for table, table_rows in _session_rows(db, session_id, version):
                rows[table] += table_rows
    types: dict[str, list[int]] = dict(
        db.execute(COLUMN_TYPES, {"tables": list(COLUMNS)}).fetchall()
    )
    return sum(_copy_rows(db, table, types[table], rows[table]) for table in COLUMNS)


def _session_rows(
    db: Connection, session_id: UUID, version: int
) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield each projection table with the rows that this session has in it."""
    events = read_stream(db, session_id, 0, version)
    # The table state itself is not projected, so the fold may leave it out.
    session, journal = apply_events(SessionState(id=session_id), events, with_table=False)
    lines = {(line.version, line.line): line for line in journal}  # the last state of each line
    for table in COLUMNS:
        if table == "journal":
            yield table, (journal_row(session, line) for line in lines.values())
        else:
            yield table, (row for _, row in session_rows(session, table))


def _copy_rows(db: Connection, table: str, types: list[int], rows: Iterable[Any]) -> int:
    count = 0
    with db.cursor().copy(_qualified(COPY, table)) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
            count += 1
    return count


def count_differing_rows(db: Connection, streams: StreamVersions) -> Counter[UUID]:
    """Count, by session, the rows that only the live or only the shadow tables have."""
    return _count_rows(db, DIFFERING_ROWS, [session_id for session_id, _ in streams])


def count_orphan_rows(db: Connection) -> Counter[UUID]:
    """Count the live rows of sessions that have no events."""
    return _count_rows(db, ORPHAN_ROWS)


def _count_rows(db: Connection, query: str, sessions: list[UUID] | None = None) -> Counter[UUID]:
    counts = Counter[UUID]()
    for table in COLUMNS:
        for session_id, count in db.execute(_qualified(query, table), {"sessions": sessions}):
            counts[session_id] += count
    return counts


def swap_schemas(db: Connection) -> None:
    """Replace the projections by the shadow schema, in the caller's transaction."""
    for statement in SWAP:
        db.execute(statement)


def drop_old_schema(owner_url: str) -> bool:
    """Drop the tables that a swap replaced; return False while somebody still reads them.

    This is not part of the swap, because waiting for a reader would hold up all writers.
    """
    with psycopg.connect(owner_url) as db:
        db.execute(LOCK_TIMEOUT)
        try:
            db.execute(DROP_OLD)
        except psycopg.errors.LockNotAvailable:
            db.rollback()
            return False
    return True


def _qualified(statement: str, table: str) -> sql.Composed:
    return sql.SQL(statement).format(
        shadow=sql.Identifier(SHADOW), live=sql.Identifier(LIVE), table=sql.Identifier(table)
    )


def _scalar(db: Connection, statement: str | sql.Composed) -> int:
    row = db.execute(statement).fetchone()
    assert row is not None
    return int(row[0])
