"""Whether this database is one to play on: it can be reached, is up to date, and lets us write."""

from collections.abc import Iterable
from typing import Literal

import psycopg
from psycopg_pool import PoolTimeout

from ledger.database import Pool

PATIENCE_SECONDS = 2

KNOWS_STEPS = "SELECT to_regclass('public.vola_migrations') IS NOT NULL"
STEPS = "SELECT name FROM public.vola_migrations"
MAY_APPEND = """
SELECT has_table_privilege('vola.events', 'INSERT')
       AND bool_and(has_function_privilege(oid, 'EXECUTE'))
  FROM pg_proc WHERE pronamespace = 'vola'::regnamespace
"""

TROUBLE = (psycopg.OperationalError, PoolTimeout, psycopg.errors.InsufficientPrivilege)

Fault = Literal["database_out_of_reach", "migrations_pending", "rights_missing"]


def fault(pool: Pool, steps: Iterable[str]) -> Fault | None:
    """What keeps us from playing, if something does; `steps` are those that its tables need.

    Out of reach: no connection within PATIENCE_SECONDS, which also happens when all are in use.
    """
    try:
        with pool.connection(timeout=PATIENCE_SECONDS) as db:
            known = db.execute(KNOWS_STEPS).fetchone()
            done = {name for (name,) in db.execute(STEPS)} if known and known[0] else set()
            if not done.issuperset(steps):
                return "migrations_pending"
            may = db.execute(MAY_APPEND).fetchone()
            return None if may and may[0] else "rights_missing"
    except TROUBLE as error:
        return called(error)


def called(error: psycopg.Error | PoolTimeout) -> Fault:
    """Which fault it is that one of TROUBLE has shown."""
    lacks = isinstance(error, psycopg.errors.InsufficientPrivilege)
    return "rights_missing" if lacks else "database_out_of_reach"
