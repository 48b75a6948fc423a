"""Whether this database is one to play on: it can be reached, is up to date, and lets us write."""

from collections.abc import Iterable
from typing import Literal

import psycopg
from psycopg_pool import PoolTimeout

from ledger.store.connection_pool import Pool

POOL_TIMEOUT_SECONDS = 2

HAS_MIGRATIONS_TABLE = "SELECT to_regclass('public.vola_migrations') IS NOT NULL"
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"
MAY_APPEND = """
SELECT has_table_privilege('vola.events', 'INSERT')
       AND bool_and(has_function_privilege(oid, 'EXECUTE'))
  FROM pg_proc WHERE pronamespace = 'vola'::regnamespace
"""

DATABASE_ERRORS = (psycopg.OperationalError, PoolTimeout, psycopg.errors.InsufficientPrivilege)

Fault = Literal["database_out_of_reach", "migrations_pending", "rights_missing"]


def database_fault(pool: Pool, migrations: Iterable[str]) -> Fault | None:
    """What keeps us from playing, if something does; `steps` are those that its tables need.

    Out of reach: no connection within PATIENCE_SECONDS, which also happens when all are in use.
    """
    try:
        with pool.connection(timeout=POOL_TIMEOUT_SECONDS) as db:
            has_table = db.execute(HAS_MIGRATIONS_TABLE).fetchone() == (True,)
            applied = db.execute(APPLIED_MIGRATIONS).fetchall() if has_table else ()
            if not {name for (name,) in applied}.issuperset(migrations):
                return "migrations_pending"
            may = db.execute(MAY_APPEND).fetchone()
            return None if may and may[0] else "rights_missing"
    except DATABASE_ERRORS as error:
        return fault_of(error)


def fault_of(error: psycopg.Error | PoolTimeout) -> Fault:
    """Which fault it is that one of TROUBLE has shown."""
    lacks = isinstance(error, psycopg.errors.InsufficientPrivilege)
    return "rights_missing" if lacks else "database_out_of_reach"
