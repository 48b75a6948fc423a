"""Whether the database is ready (reachable, migrated and writable), and whether due payments are
being settled."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import psycopg

from ledger.store.connection_pool import Pool, fetch_value

POOL_TIMEOUT_SECONDS = 2

HAS_MIGRATIONS_TABLE = "SELECT to_regclass('public.vola_migrations') IS NOT NULL"
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"
REQUIRED_MIGRATION = "SELECT obj_description('public.vola_migrations'::regclass, 'pg_class')"
MAY_APPEND_AND_SIGN = """
SELECT has_table_privilege('vola.events', 'INSERT')
       AND has_table_privilege('vola.secret', 'SELECT')
       AND has_table_privilege('vola.signing_key', 'SELECT')
       AND has_column_privilege('vola.signing_key', 'secret', 'INSERT')
       AND bool_and(has_function_privilege(oid, 'EXECUTE'))
  FROM pg_proc WHERE pronamespace = 'vola'::regnamespace
"""
READ_ONLY = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'"
OLDEST_DUE = """
SELECT count(*), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - min(due_at)
  FROM projections.payments WHERE status = 'due'
"""

DATABASE_ERRORS = (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege)

Fault = Literal["database_out_of_reach", "migrations_pending", "server_outdated", "rights_missing"]


class Health(NamedTuple):
    """Why the database is not ready, or else whether it can be written, how many payments are due,
    and for how many microseconds the oldest has been due."""

    fault: Fault | None
    is_writable: bool = False
    payments_due: int = 0
    oldest_due_micros: int = 0


def has_newer_migrations(pool: Pool, migrations: Iterable[str]) -> bool:
    """Return whether the database has migrations other than these, of a newer Vola. Raise
    psycopg.Error."""
    with pool.connection(timeout=POOL_TIMEOUT_SECONDS) as db:
        return not {name for (name,) in db.execute(APPLIED_MIGRATIONS)} <= set(migrations)


def read_health(pool: Pool, migrations: Iterable[str] = ()) -> Health:
    """Return the health of the database; `migrations` are those that must be applied. The
    database counts as out of reach if no connection is free within POOL_TIMEOUT_SECONDS, even if
    all are merely in use."""
    try:
        with pool.connection(timeout=POOL_TIMEOUT_SECONDS) as db:
            has_table = fetch_value(db, HAS_MIGRATIONS_TABLE)
            known_names = set(migrations)
            if not has_table or not known_names <= {n for (n,) in db.execute(APPLIED_MIGRATIONS)}:
                return Health("migrations_pending")
            if known_names and fetch_value(db, REQUIRED_MIGRATION) not in {None, *known_names}:
                return Health("server_outdated")
            if not fetch_value(db, MAY_APPEND_AND_SIGN):
                return Health("rights_missing")
            is_writable = not fetch_value(db, READ_ONLY)
            ((due, oldest),) = db.execute(OLDEST_DUE)
            return Health(None, is_writable, due, max(0, oldest or 0))
    except DATABASE_ERRORS as error:
        lacks_rights = isinstance(error, psycopg.errors.InsufficientPrivilege)
        return Health("rights_missing" if lacks_rights else "database_out_of_reach")
