"""Digests of the tables of a database, by which two servers can be compared."""

from collections.abc import Callable

import psycopg
from psycopg import sql

TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
 ORDER BY 1, 2
"""
# The hash of a text is the same in every version: partitions by hash depend on it.
DIGEST = """
SELECT count(*), coalesce(sum(hashtextextended(stored_row::text, 0)::numeric), 0)
  FROM ONLY {table} AS stored_row
"""
TEXT_FORMAT = "-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c extra_float_digits=1"

TableDigest = tuple[int, int]
"""The number of a table's rows, and the sum of their hashes in any order."""


def digest_tables(url: str, progress: Callable[[int], None]) -> dict[str, TableDigest]:
    """Return a digest of every table in the database of `url`; `progress` is called with the number
    of tables so far. Raise psycopg.Error."""
    digests: dict[str, TableDigest] = {}
    with psycopg.connect(url, options=TEXT_FORMAT) as db:
        for schema, name in db.execute(TABLES).fetchall():
            query = sql.SQL(DIGEST).format(table=sql.Identifier(schema, name))
            rows, hashes = db.execute(query).fetchone() or (0, 0)
            digests[f"{schema}.{name}"] = rows, int(hashes)
            progress(len(digests))
    return digests
