"""The tables that docs/running.md says can be distributed by session, really cut into parts by it.

PostgreSQL's own partitions ask of the tables what a sharded PostgreSQL asks: that every key has the
session in it, and every statement finds its rows by it. `TEST_PARTITIONS=8 make test` runs
all tests on such a book.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg
from psycopg import sql

PARTS = int(os.environ.get("TEST_PARTITIONS", "1"))
PAGE = Path(__file__).parents[1] / "docs" / "running.md"

MADE = """
SELECT relpersistence = 'u', reloptions, relowner::regrole::text FROM pg_class
 WHERE oid = %s::regclass
"""
GRANTED = """
SELECT DISTINCT grantee::regrole::text, privilege_type
  FROM pg_class, aclexplode(relacl) WHERE oid = %s::regclass AND grantee <> relowner
"""
TRIGGERS = """
SELECT tgname, pg_get_triggerdef(oid), (tgtype & 1) = 1 FROM pg_trigger
 WHERE tgrelid = %s::regclass AND NOT tgisinternal
"""


def tables(heading: str = "distributed by `session_id`") -> set[str]:
    """The tables that the page names under a heading of a table."""
    text = PAGE.read_text().partition(f"\n| {heading} |\n")[2].partition("\n\n")[0]
    return set(re.findall(r"`([a-z_]+\.[a-z_]+)`", text))


def cut(url: str, parts: int = PARTS) -> None:
    """Cut every one of them into so many parts; they are empty. `url`: of a superuser."""
    if parts < 2:
        return
    with psycopg.connect(url) as db:
        for table in sorted(tables()):
            _cut(db, table, parts)


def _cut(db: psycopg.Connection, table: str, parts: int) -> None:
    schema, _, name = table.partition(".")
    found = db.execute(MADE, [table]).fetchone()
    assert found is not None
    unlogged, options, owner = found
    granted, triggers = (db.execute(query, [table]).fetchall() for query in (GRANTED, TRIGGERS))
    here, whole = sql.Identifier(schema, name), sql.Identifier(schema, f"{name}_whole")
    db.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(here, sql.Identifier(f"{name}_whole")))
    like = "CREATE TABLE {} (LIKE {} INCLUDING ALL) PARTITION BY HASH (session_id)"
    db.execute(sql.SQL(like).format(here, whole))
    db.execute(sql.SQL("DROP TABLE {}").format(whole))
    kept = sql.SQL(f"WITH ({', '.join(options)})" if options else "")
    for number in range(parts):
        part = sql.Identifier(schema, f"{name}_{number}")
        of = "CREATE {} TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {}) {}"
        forgets = sql.SQL("UNLOGGED" if unlogged else "")
        db.execute(sql.SQL(of).format(forgets, part, here, parts, number, kept))
        db.execute(sql.SQL("ALTER TABLE {} OWNER TO {}").format(part, sql.SQL(owner)))
    db.execute(sql.SQL("ALTER TABLE {} OWNER TO {}").format(here, sql.SQL(owner)))
    every = [here, *(sql.Identifier(schema, f"{name}_{number}") for number in range(parts))]
    for role, right in granted:
        grant, whom = sql.SQL("GRANT {} ON {} TO {}"), sql.SQL(role)
        db.execute(grant.format(sql.SQL(right), sql.SQL(", ").join(every), whom))
    for _, made, by_row in triggers:
        db.execute(made)
        if not by_row:  # nobody gets round it by emptying a part
            for number in range(parts):
                db.execute(made.replace(f" ON {table} ", f" ON {table}_{number} "))
