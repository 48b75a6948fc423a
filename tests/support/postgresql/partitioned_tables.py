"""The tables that docs/running.md calls distributable by session, partitioned by session.

PostgreSQL's own partitions demand the same as a sharded PostgreSQL: every key contains the session,
and every statement finds its rows by it. `TEST_PARTITIONS=8 make test` runs all tests on such a
book.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

PARTS = int(os.environ.get("TEST_PARTITIONS", "1"))
PAGE = Path(__file__).parents[3] / "docs" / "running.md"

TABLE_DEFINITION = """
SELECT relpersistence = 'u', reloptions, relowner::regrole::text FROM pg_class
 WHERE oid = %s::regclass
"""
GRANTED = """
SELECT DISTINCT grantee::regrole::text, privilege_type
  FROM pg_class, aclexplode(relacl) WHERE oid = %s::regclass AND grantee <> relowner
"""
VIEWS = """
SELECT schemaname || '.' || viewname, viewowner, definition FROM pg_views
 WHERE schemaname = 'projections'
"""
TRIGGERS = """
SELECT tgname, pg_get_triggerdef(oid), (tgtype & 1) = 1 FROM pg_trigger
 WHERE tgrelid = %s::regclass AND NOT tgisinternal
"""


def tables(heading: str = "distributed by `session_id`") -> set[str]:
    """Return the tables that the page lists under this heading."""
    text = PAGE.read_text().partition(f"\n| {heading} |\n")[2].partition("\n\n")[0]
    return set(re.findall(r"`([a-z_]+\.[a-z_]+)`", text))


def partition_tables(url: str, parts: int = PARTS) -> None:
    """Partition each of these empty tables into `parts` parts. `url` is that of a superuser."""
    if parts < 2:
        return
    with psycopg.connect(url) as db, _without_views(db):
        for table in sorted(tables()):
            _partition_table(db, table, parts)


@contextmanager
def _without_views(db: psycopg.Connection) -> Iterator[None]:
    """Drop the views, which would prevent the replacement of their tables, and create them
    again."""
    views = db.execute(VIEWS).fetchall()
    granted = {view: db.execute(GRANTED, [view]).fetchall() for view, _, _ in views}
    for view, _, _ in views:
        db.execute(sql.SQL("DROP VIEW {}").format(sql.SQL(view)))
    yield
    for view, owner, definition in views:
        db.execute(sql.SQL("CREATE VIEW {} AS {}").format(sql.SQL(view), sql.SQL(definition)))
        db.execute(sql.SQL("ALTER VIEW {} OWNER TO {}").format(sql.SQL(view), sql.SQL(owner)))
        for role, right in granted[view]:
            grant = sql.SQL("GRANT {} ON {} TO {}")
            db.execute(grant.format(sql.SQL(right), sql.SQL(view), sql.SQL(role)))


def _partition_table(db: psycopg.Connection, table: str, parts: int) -> None:
    schema, _, name = table.partition(".")
    definition = db.execute(TABLE_DEFINITION, [table]).fetchone()
    assert definition is not None
    unlogged, options, owner = definition
    granted, triggers = (db.execute(query, [table]).fetchall() for query in (GRANTED, TRIGGERS))
    table_name, whole_name = sql.Identifier(schema, name), sql.Identifier(schema, f"{name}_whole")
    db.execute(
        sql.SQL("ALTER TABLE {} RENAME TO {}").format(table_name, sql.Identifier(f"{name}_whole"))
    )
    like = "CREATE TABLE {} (LIKE {} INCLUDING ALL) PARTITION BY HASH (session_id)"
    db.execute(sql.SQL(like).format(table_name, whole_name))
    db.execute(sql.SQL("DROP TABLE {}").format(whole_name))
    storage = sql.SQL(f"WITH ({', '.join(options)})" if options else "")
    for number in range(parts):
        part = sql.Identifier(schema, f"{name}_{number}")
        of = "CREATE {} TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {}) {}"
        forgets = sql.SQL("UNLOGGED" if unlogged else "")
        db.execute(sql.SQL(of).format(forgets, part, table_name, parts, number, storage))
        db.execute(sql.SQL("ALTER TABLE {} OWNER TO {}").format(part, sql.SQL(owner)))
    db.execute(sql.SQL("ALTER TABLE {} OWNER TO {}").format(table_name, sql.SQL(owner)))
    every = [table_name, *(sql.Identifier(schema, f"{name}_{number}") for number in range(parts))]
    for role, right in granted:
        grant, grantee = sql.SQL("GRANT {} ON {} TO {}"), sql.SQL(role)
        db.execute(grant.format(sql.SQL(right), sql.SQL(", ").join(every), grantee))
    for _, trigger, by_row in triggers:
        db.execute(trigger)
        if not by_row:  # also on each partition, so that TRUNCATE of one is refused
            for number in range(parts):
                db.execute(trigger.replace(f" ON {table} ", f" ON {table}_{number} "))
