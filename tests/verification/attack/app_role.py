"""Attacks through the app's own database connection, and the SQLSTATE that refuses each."""

import psycopg

PERMISSION_DENIED = "42501"  # insufficient_privilege
UNIQUE_VIOLATION = "23505"  # unique_violation
CHECK_VIOLATION = "23514"  # check_violation
INTEGRITY_VIOLATION = "23000"  # integrity_constraint_violation: the sums, when the transaction ends

ATTACKS = {
    "an event edited": ("UPDATE vola.events SET data = '{}'", PERMISSION_DENIED),
    "a seal written over": (
        "UPDATE vola.events SET hash = hash WHERE version = 2",
        PERMISSION_DENIED,
    ),
    "events renumbered": ("UPDATE vola.events SET version = version + 1000", PERMISSION_DENIED),
    "an event deleted": ("DELETE FROM vola.events WHERE version = 3", PERMISSION_DENIED),
    "all events deleted": ("DELETE FROM vola.events", PERMISSION_DENIED),
    "events emptied": ("TRUNCATE vola.events", PERMISSION_DENIED),
    "events emptied with all that hangs on them": (
        "TRUNCATE vola.events CASCADE",
        PERMISSION_DENIED,
    ),
    "events merged into themselves": (
        "MERGE INTO vola.events e USING vola.events o ON e.session_id = o.session_id"
        " AND e.version = o.version WHEN MATCHED THEN UPDATE SET data = '{}'",
        PERMISSION_DENIED,
    ),
    "an event written over by an insert": (
        "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1"
        " ON CONFLICT (session_id, version) DO UPDATE SET data = '{}'",
        PERMISSION_DENIED,
    ),
    "an event written twice": (
        "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1",
        UNIQUE_VIOLATION,
    ),
    "an event before the first": (
        'INSERT INTO vola.events SELECT session_id, 0, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE version = 1",
        CHECK_VIOLATION,
    ),
    "an event without a seal": (
        "INSERT INTO vola.events SELECT session_id, 9999, type, schema, at, \"by\", data, ''"
        " FROM vola.events WHERE version = 1",
        CHECK_VIOLATION,
    ),
    "events dropped": ("DROP TABLE vola.events", PERMISSION_DENIED),
    "the schema dropped": ("DROP SCHEMA vola CASCADE", PERMISSION_DENIED),
    "the trigger dropped": (
        "DROP TRIGGER events_are_append_only ON vola.events",
        PERMISSION_DENIED,
    ),
    "the triggers disabled": ("ALTER TABLE vola.events DISABLE TRIGGER ALL", PERMISSION_DENIED),
    "the triggers passed over": ("SET session_replication_role = replica", PERMISSION_DENIED),
    "the trigger's function replaced": (
        "CREATE OR REPLACE FUNCTION vola.refuse_event_change() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NEW; END'",
        PERMISSION_DENIED,
    ),
    "a rule put before the events": (
        "CREATE RULE nothing AS ON INSERT TO vola.events DO INSTEAD NOTHING",
        PERMISSION_DENIED,
    ),
    "a column added": ("ALTER TABLE vola.events ADD COLUMN more text", PERMISSION_DENIED),
    "the events taken over": ("ALTER TABLE vola.events OWNER TO current_user", PERMISSION_DENIED),
    "a function of one's own": (
        "CREATE FUNCTION vola.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        PERMISSION_DENIED,
    ),
    "a table of one's own": ("CREATE TABLE public.mine (id integer)", PERMISSION_DENIED),
    "the owner impersonated": ("SET ROLE vola_owner", PERMISSION_DENIED),
    "the superuser impersonated": ("SET SESSION AUTHORIZATION postgres", PERMISSION_DENIED),
    "a role made": ("CREATE ROLE mine SUPERUSER", PERMISSION_DENIED),
    "oneself promoted": ("ALTER ROLE current_user SUPERUSER", PERMISSION_DENIED),
    "a file read": ("SELECT pg_read_file('/etc/passwd')", PERMISSION_DENIED),
    "a program run": ("COPY vola.sessions FROM PROGRAM 'id'", PERMISSION_DENIED),
    "the server's settings changed": ("ALTER SYSTEM SET fsync = off", PERMISSION_DENIED),
    "the secret replaced": ("UPDATE vola.secret SET secret = ''", PERMISSION_DENIED),
    "the secret deleted": ("DELETE FROM vola.secret", PERMISSION_DENIED),
    "the key replaced": ("UPDATE vola.signing_key SET secret = sha256('')", PERMISSION_DENIED),
    "heads deleted": ("DELETE FROM vola.heads", PERMISSION_DENIED),
    "creations deleted": ("DELETE FROM vola.creation_keys", PERMISSION_DENIED),
    "answers deleted": ("DELETE FROM vola.stored_replies", PERMISSION_DENIED),
    "remarks deleted": ("DELETE FROM vola.remarks", PERMISSION_DENIED),
    "players deleted": ("DELETE FROM vola.players", PERMISSION_DENIED),
    "a pot below nothing": ("UPDATE projections.pot SET amount = -1", CHECK_VIOLATION),
    "the trace of the migrations deleted": (
        "DELETE FROM public.vola_migrations",
        PERMISSION_DENIED,
    ),
    "money made": (
        "BEGIN; UPDATE projections.balances SET amount = amount + 1 WHERE player_id = 'p1';"
        " UPDATE vola.heads SET at = at; COMMIT",
        INTEGRITY_VIOLATION,
    ),
}


def refusal_code(url: str, statement: str) -> str:
    """Return the SQLSTATE that refuses this statement, or "" if nothing does."""
    with psycopg.connect(url, autocommit=True) as db:
        try:
            db.execute(statement)
        except psycopg.Error as error:
            return error.sqlstate or ""
        return ""
