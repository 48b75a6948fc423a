"""Tables like the projections', made beside them, filled, and put in their place.

They are there for everybody to see from the start, so that several can fill them; what a rebuild
that broke off has left of them is thrown away by the next one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.database import Connection
from ledger.garbage import let_lie
from ledger.history import history
from ledger.projector import COLUMNS, Row, line_row, rows
from ledger.session import Session, applied

SHADOW, LIVE = "projections_shadow", "projections"

DROP_SHADOW = "DROP SCHEMA IF EXISTS projections_shadow CASCADE"
MAKE_SHADOW = "CREATE SCHEMA projections_shadow"
LIKE = "CREATE TABLE {shadow}.{table} (LIKE {live}.{table} INCLUDING ALL)"
CUT_BY = """
SELECT relname, pg_get_partkeydef(oid) FROM pg_class
 WHERE relnamespace = 'projections'::regnamespace AND relkind = 'p'
"""
PARTS = """
SELECT c.relname, of.relname, pg_get_expr(c.relpartbound, c.oid)
  FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class of ON of.oid = i.inhparent
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relispartition AND c.relkind = 'r'
"""
PART = "CREATE TABLE {} PARTITION OF {} {}"
GRANTS = """
SELECT DISTINCT grantee::regrole::text, privilege_type
  FROM pg_class, aclexplode(relacl)
 WHERE oid = 'projections.pot'::regclass AND grantee <> relowner AND grantee <> 0
"""
OPTIONS = """
SELECT c.relname, c.reloptions FROM pg_class c
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
"""
HOLD = "LOCK TABLE {} IN ROW EXCLUSIVE MODE"
WHICH = "SELECT 'projections_shadow'::regnamespace::oid"
FORGET = "DELETE FROM {shadow}.{table} WHERE session_id = ANY(%(sessions)s)"
COPY = "COPY {shadow}.{table} FROM STDIN (FORMAT BINARY)"
TYPES = """
SELECT c.relname, array_agg(a.atttypid::bigint ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
 WHERE c.relnamespace = 'projections_shadow'::regnamespace AND c.relname = ANY(%(tables)s)
 GROUP BY c.relname
"""
DIFFER = """
WITH live AS (SELECT * FROM {live}.{table} WHERE session_id = ANY(%(sessions)s)),
     shadow AS (SELECT * FROM {shadow}.{table} WHERE session_id = ANY(%(sessions)s))
SELECT session_id, count(*)
  FROM ((TABLE live EXCEPT ALL TABLE shadow) UNION ALL (TABLE shadow EXCEPT ALL TABLE live)) AS d
 GROUP BY session_id
"""
NOBODYS = """
SELECT session_id, count(*) FROM {live}.{table} AS t
 WHERE NOT EXISTS (SELECT FROM vola.heads h WHERE h.session_id = t.session_id)
 GROUP BY session_id
"""
SWAP = (
    "ALTER SCHEMA projections RENAME TO projections_old",
    "ALTER SCHEMA projections_shadow RENAME TO projections",
)
DROP_OLD = "DROP SCHEMA IF EXISTS projections_old CASCADE"
DROP_WAIT = "SET lock_timeout = '500ms'"

Wanted = list[tuple[UUID, int]]
"""Evenings, each up to a version."""


class NotTheSame(Exception):
    """The tables are of another rebuild than the one that asks."""


def make(db: Connection) -> int:
    """Empty tables; what tells them from those of another rebuild."""
    db.execute(DROP_SHADOW)
    db.execute(MAKE_SHADOW)
    cut_by: dict[str, str] = dict(db.execute(CUT_BY).fetchall())
    for table in COLUMNS:
        by = sql.SQL(f" PARTITION BY {cut_by[table]}" if table in cut_by else "")
        db.execute(_named(LIKE, table) + by)
    for part, table, holding in db.execute(PARTS).fetchall():
        which = sql.Identifier(SHADOW, part), sql.Identifier(SHADOW, table), sql.SQL(holding)
        db.execute(sql.SQL(PART).format(*which))
    for table, options in db.execute(OPTIONS).fetchall():
        settings = sql.SQL(", ").join(sql.SQL(option) for option in options)
        target = sql.Identifier(SHADOW, table)
        db.execute(sql.SQL("ALTER TABLE {} SET ({})").format(target, settings))
    for role, right in db.execute(GRANTS).fetchall():
        who = sql.SQL(role)  # regrole has quoted it already
        db.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(SHADOW), who))
        db.execute(
            sql.SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}").format(
                sql.SQL(right), sql.Identifier(SHADOW), who
            )
        )
    return _one(db, WHICH)


def fold_in(db: Connection, shadow: int, wanted: Wanted, *, again: bool) -> int:
    """Fold these evenings into that shadow, in the caller's transaction; how many rows they gave.

    `again`: some of their rows may be there. NotTheSame, so that a process that has outlived its
    rebuild does not write into the next one.
    """
    tables = sql.SQL(", ").join(sql.Identifier(SHADOW, table) for table in COLUMNS)
    db.execute(sql.SQL(HOLD).format(tables))  # nobody throws them away under us
    if _one(db, WHICH) != shadow:
        raise NotTheSame
    if again:
        for table in COLUMNS:
            db.execute(_named(FORGET, table), {"sessions": [one for one, _ in wanted]})
    made: dict[str, list[Any]] = {table: [] for table in COLUMNS}
    with let_lie():
        for session_id, upto in wanted:
            for table, more in _rows(db, session_id, upto):
                made[table] += more
    types: dict[str, list[int]] = dict(db.execute(TYPES, {"tables": list(COLUMNS)}).fetchall())
    return sum(_copy(db, table, types[table], made[table]) for table in COLUMNS)


def _rows(db: Connection, session_id: UUID, upto: int) -> Iterator[tuple[str, Iterable[Row]]]:
    """What an evening comes to, table by table."""
    told = history(db, session_id, 0, upto)
    session, moved = applied(Session(id=session_id), told, played=False)  # no row is of the table
    lines = {(line.version, line.line): line for line in moved}  # marked ones come twice
    for table in COLUMNS:
        if table == "journal":
            yield table, (line_row(session, line) for line in lines.values())
        else:
            yield table, (row for _, row in rows(session, table))


def _copy(db: Connection, table: str, types: list[int], made: Iterable[Any]) -> int:
    count = 0
    with db.cursor().copy(_named(COPY, table)) as copy:
        copy.set_types(types)
        for row in made:
            copy.write_row(row)
            count += 1
    return count


def differing(db: Connection, wanted: Wanted) -> Counter[UUID]:
    """How many rows of each of these evenings are not as they should be, or the other way round."""
    return _counted(db, DIFFER, [one for one, _ in wanted])


def nobodys(db: Connection) -> Counter[UUID]:
    """How many rows there are of evenings that have no events."""
    return _counted(db, NOBODYS)


def _counted(db: Connection, query: str, sessions: list[UUID] | None = None) -> Counter[UUID]:
    found = Counter[UUID]()
    for table in COLUMNS:
        for session_id, count in db.execute(_named(query, table), {"sessions": sessions}):
            found[session_id] += count
    return found


def swap(db: Connection) -> None:
    """Put them in the place of the projections, in the caller's transaction."""
    for statement in SWAP:
        db.execute(statement)


def drop_old(owner_url: str) -> bool:
    """Throw the old tables away when nobody reads them any more, or say that somebody does; a later
    rebuild tries again.

    Apart from the swap: whoever waits for a reader must not hold up those who write.
    """
    with psycopg.connect(owner_url) as db:
        db.execute(DROP_WAIT)
        try:
            db.execute(DROP_OLD)
        except psycopg.errors.LockNotAvailable:
            db.rollback()
            return False
    return True


def _named(statement: str, table: str) -> sql.Composed:
    return sql.SQL(statement).format(
        shadow=sql.Identifier(SHADOW), live=sql.Identifier(LIVE), table=sql.Identifier(table)
    )


def _one(db: Connection, statement: str | sql.Composed) -> int:
    row = db.execute(statement).fetchone()
    assert row is not None
    return int(row[0])
