"""End a migration at a chosen statement: the server ends its connection, or the client is killed.

Event triggers of a superuser count the statements of the migrations inside the database, so the
migrations run unchanged. Triggers on the tables that have rows count INSERT, UPDATE and DELETE.
"""

import signal
import subprocess
import sys
from typing import Literal

import psycopg
from psycopg import sql

from tests.support.databases import DatabaseUrls
from tests.support.ledger.embedded_servers import REPOSITORY

HowItEnds = Literal["terminated", "killed"]

INSTALL = (
    """
    CREATE FUNCTION public.count_statement(tag text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        number integer := current_setting('upgrade.number', true);
    BEGIN
        number := coalesce(number, 0) + 1;
        PERFORM set_config('upgrade.number', number::text, false);
        RAISE NOTICE 'statement % %', number, tag;
        IF number = current_setting('upgrade.terminate_at', true)::integer THEN
            PERFORM pg_terminate_backend(pg_backend_pid());
        END IF;
    END $$
    """,
    """
    CREATE FUNCTION public.count_command() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM public.count_statement(tg_tag);
    END $$
    """,
    """
    CREATE FUNCTION public.count_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM public.count_statement(tg_op || ' ' || tg_table_name);
        RETURN NULL;
    END $$
    """,
    "CREATE EVENT TRIGGER count_starts ON ddl_command_start EXECUTE FUNCTION count_command()",
    "CREATE EVENT TRIGGER count_ends ON ddl_command_end EXECUTE FUNCTION count_command()",
    "CREATE EVENT TRIGGER count_drops ON sql_drop EXECUTE FUNCTION count_command()",
    "CREATE EVENT TRIGGER count_rewrites ON table_rewrite EXECUTE FUNCTION count_command()",
)
COUNT_WRITES = """
CREATE TRIGGER count_write AFTER INSERT OR UPDATE OR DELETE ON {table}
   FOR EACH STATEMENT EXECUTE FUNCTION public.count_write()
"""
TABLES_WRITTEN = (
    *("public.vola_migrations", "vola.heads", "vola.replies", "vola.circle_replies"),
    *("vola.tallies", "vola.keys"),
)
EXISTS = "SELECT to_regclass(%(table)s) IS NOT NULL"
REMOVE = """
DROP EVENT TRIGGER count_starts, count_ends, count_drops, count_rewrites;
DROP FUNCTION public.count_command, public.count_write, public.count_statement CASCADE;
"""
TERMINATE_AT = "ALTER DATABASE {database} SET upgrade.terminate_at = {number}"

MIGRATE = """
import os, signal, sys
import psycopg
import migrations
owner, app, audit, kill_at = *sys.argv[1:4], int(sys.argv[4])
connect = psycopg.connect
def count(diagnostic):
    print(diagnostic.message_primary, flush=True)
    if diagnostic.message_primary.startswith(f"statement {kill_at} "):
        os.kill(os.getpid(), signal.SIGKILL)
def connect_and_listen(*arguments, **options):
    connection = connect(*arguments, **options)
    connection.add_notice_handler(count)
    return connection
psycopg.connect = connect_and_listen
try:
    migrations.apply(owner, app_url=app, audit_url=audit)
except psycopg.errors.AdminShutdown:
    sys.exit(3)
"""
ENDED = {"terminated": 3, "killed": -signal.SIGKILL}


def install_counter(urls: DatabaseUrls) -> None:
    """Count the statements that run in this database from now on."""
    with psycopg.connect(urls.super, autocommit=True) as db:
        for statement in INSTALL:
            db.execute(statement)
        for table in TABLES_WRITTEN:
            if (db.execute(EXISTS, {"table": table}).fetchone() or (False,))[0]:
                name = sql.Identifier(*table.split("."))
                db.execute(sql.SQL(COUNT_WRITES).format(table=name))


def remove_counter(urls: DatabaseUrls) -> None:
    with psycopg.connect(urls.super, autocommit=True) as db:
        for statement in REMOVE.split(";\n"):
            if statement:
                db.execute(statement)


def migrate_until(urls: DatabaseUrls, number: int = 0, end: HowItEnds | None = None) -> list[str]:
    """Migrate in a process of its own, which ends at this statement. Return the lines that it
    printed."""
    with psycopg.connect(urls.super, autocommit=True) as db:
        names = {
            "database": sql.Identifier(db.info.dbname),
            "number": sql.Literal(number if end == "terminated" else 0),
        }
        db.execute(sql.SQL(TERMINATE_AT).format(**names))
    kill_at = number if end == "killed" else 0
    process = subprocess.run(
        [sys.executable, "-c", MIGRATE, urls.owner, urls.app, urls.audit, str(kill_at)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert process.returncode == (ENDED[end] if end else 0), process.stderr
    return process.stdout.splitlines()
