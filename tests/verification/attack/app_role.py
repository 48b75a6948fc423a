"""Attacks through the app's own database connection, and the SQLSTATE that refuses each."""

import psycopg

PERMISSION_DENIED = "42501"  # insufficient_privilege
UNIQUE_VIOLATION = "23505"  # unique_violation
CHECK_VIOLATION = "23514"  # check_violation

REFUSALS = {
    PERMISSION_DENIED: {
        "an event edited": "UPDATE vola.events SET data = '{}'",
        "a hash overwritten": "UPDATE vola.events SET hash = hash WHERE version = 2",
        "events renumbered": "UPDATE vola.events SET version = version + 1000",
        "an event deleted": "DELETE FROM vola.events WHERE version = 3",
        "all events deleted": "DELETE FROM vola.events",
        "events emptied": "TRUNCATE vola.events",
        "events emptied with all that hangs on them": "TRUNCATE vola.events CASCADE",
        "events merged into themselves": (
            "MERGE INTO vola.events e USING vola.events o ON e.session_id = o.session_id"
            " AND e.version = o.version WHEN MATCHED THEN UPDATE SET data = '{}'"
        ),
        "an event written over by an insert": (
            "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1"
            " ON CONFLICT (session_id, version) DO UPDATE SET data = '{}'"
        ),
        "events dropped": "DROP TABLE vola.events",
        "a group's event edited": "UPDATE vola.group_events SET data = '{}'",
        "a group's event deleted": "DELETE FROM vola.group_events WHERE number = 1",
        "a group's events emptied": "TRUNCATE vola.group_events",
        "the schema dropped": "DROP SCHEMA vola CASCADE",
        "the trigger dropped": "DROP TRIGGER events_are_append_only ON vola.events",
        "the triggers disabled": "ALTER TABLE vola.events DISABLE TRIGGER ALL",
        "the triggers passed over": "SET session_replication_role = replica",
        "the trigger's function replaced": (
            "CREATE OR REPLACE FUNCTION vola.refuse_event_change() RETURNS trigger LANGUAGE plpgsql"
            " AS 'BEGIN RETURN NEW; END'"
        ),
        "a rule put before the events": (
            "CREATE RULE nothing AS ON INSERT TO vola.events DO INSTEAD NOTHING"
        ),
        "a column added": "ALTER TABLE vola.events ADD COLUMN more text",
        "the events taken over": "ALTER TABLE vola.events OWNER TO current_user",
        "a function of one's own": (
            "CREATE FUNCTION vola.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'"
        ),
        "a table of one's own": "CREATE TABLE public.mine (id integer)",
        "the owner impersonated": "SET ROLE vola_owner",
        "the superuser impersonated": "SET SESSION AUTHORIZATION postgres",
        "a role made": "CREATE ROLE mine SUPERUSER",
        "oneself promoted": "ALTER ROLE current_user SUPERUSER",
        "a file read": "SELECT pg_read_file('/etc/passwd')",
        "a program run": "COPY vola.sessions FROM PROGRAM 'id'",
        "the server's settings changed": "ALTER SYSTEM SET fsync = off",
        "the secret replaced": "UPDATE vola.secret SET secret = ''",
        "the secret deleted": "DELETE FROM vola.secret",
        "the key replaced": "UPDATE vola.signing_key SET secret = sha256('')",
        "heads deleted": "DELETE FROM vola.heads",
        "creations deleted": "DELETE FROM vola.creation_keys",
        "answers deleted": "DELETE FROM vola.stored_replies",
        "remarks deleted": "DELETE FROM vola.remarks",
        "players deleted": "DELETE FROM vola.players",
        "the trace of the migrations deleted": "DELETE FROM public.vola_migrations",
    },
    UNIQUE_VIOLATION: {
        "an event written twice": (
            "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1"
        ),
    },
    CHECK_VIOLATION: {
        "an event before the first": (
            'INSERT INTO vola.events SELECT session_id, 0, type, schema, at, "by", data, hash'
            " FROM vola.events WHERE version = 1"
        ),
        "an event without a hash": (
            "INSERT INTO vola.events SELECT session_id, 9999, type, schema, at, \"by\", data, ''"
            " FROM vola.events WHERE version = 1"
        ),
        "a pot below nothing": "UPDATE vola.heads SET pot = -1",
        "money made": "UPDATE vola.heads SET balances[1] = balances[1] + 1",
    },
}
"""The attacks by the SQLSTATE that refuses them."""

ATTACKS = {
    name: (statement, code)
    for code, statements in REFUSALS.items()
    for name, statement in statements.items()
}


def refusal_code(url: str, statement: str) -> str:
    """Return the SQLSTATE that refuses this statement, or "" if nothing does."""
    with psycopg.connect(url, autocommit=True) as db:
        try:
            db.execute(statement)
        except psycopg.Error as error:
            return error.sqlstate or ""
        return ""
