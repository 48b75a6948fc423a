"""Whether the database is ready (reachable, migrated and writable), and whether due payments are
being settled."""

from collections.abc import Iterable
from typing import Literal

import psycopg
from psycopg_pool import PoolTimeout

from ledger.store.connection_pool import Pool, fetch_value

POOL_TIMEOUT_SECONDS = 2

HAS_MIGRATIONS_TABLE = "SELECT to_regclass('public.vola_migrations') IS NOT NULL"
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"
MAY_APPEND = """
SELECT has_table_privilege('vola.events', 'INSERT')
       AND bool_and(has_function_privilege(oid, 'EXECUTE'))
  FROM pg_proc WHERE pronamespace = 'vola'::regnamespace
"""
READ_ONLY = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'"
OLDEST_DUE = """
SELECT count(*), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - min(due_at)
  FROM projections.payments WHERE status = 'due'
"""

DATABASE_ERRORS = (psycopg.OperationalError, PoolTimeout, psycopg.errors.InsufficientPrivilege)

Fault = Literal["database_out_of_reach", "migrations_pending", "rights_missing"]


def database_fault(pool: Pool, migrations: Iterable[str]) -> Fault | None:
    """Return why the database is not ready, if so; `migrations` are those that must be applied. Out
    of reach: no connection within POOL_TIMEOUT_SECONDS, also when all are in use."""
    try:
        with pool.connection(timeout=POOL_TIMEOUT_SECONDS) as db:
            has_table = fetch_value(db, HAS_MIGRATIONS_TABLE)
            applied = db.execute(APPLIED_MIGRATIONS).fetchall() if has_table else ()
            if not {name for (name,) in applied}.issuperset(migrations):
                return "migrations_pending"
            return None if fetch_value(db, MAY_APPEND) else "rights_missing"
    except DATABASE_ERRORS as error:
        return fault_of(error)


def fault_of(error: psycopg.Error | PoolTimeout) -> Fault:
    """Return the fault behind one of DATABASE_ERRORS."""
    lacks = isinstance(error, psycopg.errors.InsufficientPrivilege)
    return "rights_missing" if lacks else "database_out_of_reach"


def read_health(pool: Pool) -> tuple[bool, int, int]:
    """Return whether the database is writable, how many payments are due, and for how many
    microseconds."""
    with pool.connection() as db:
        read_only, due = fetch_value(db, READ_ONLY), db.execute(OLDEST_DUE).fetchone()
    assert due is not None
    return not read_only, due[0], max(0, due[1] or 0)
