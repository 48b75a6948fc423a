"""What somebody tries who has got hold of the app's own connection, and how he is refused."""

import psycopg

NO_RIGHT = "42501"  # insufficient_privilege
TAKEN = "23505"  # unique_violation
UNFIT = "23514"  # check_violation
NOT_WHOLE = "23000"  # integrity_constraint_violation: the sums, when the transaction ends

ATTACKS = {
    "an event edited": ("UPDATE vola.events SET data = '{}'", NO_RIGHT),
    "a seal written over": ("UPDATE vola.events SET hash = hash WHERE version = 2", NO_RIGHT),
    "events renumbered": ("UPDATE vola.events SET version = version + 1000", NO_RIGHT),
    "an event deleted": ("DELETE FROM vola.events WHERE version = 3", NO_RIGHT),
    "all events deleted": ("DELETE FROM vola.events", NO_RIGHT),
    "events emptied": ("TRUNCATE vola.events", NO_RIGHT),
    "events emptied with all that hangs on them": ("TRUNCATE vola.events CASCADE", NO_RIGHT),
    "events merged into themselves": (
        "MERGE INTO vola.events e USING vola.events o ON e.session_id = o.session_id"
        " AND e.version = o.version WHEN MATCHED THEN UPDATE SET data = '{}'",
        NO_RIGHT,
    ),
    "an event written over by an insert": (
        "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1"
        " ON CONFLICT (session_id, version) DO UPDATE SET data = '{}'",
        NO_RIGHT,
    ),
    "an event written twice": (
        "INSERT INTO vola.events SELECT * FROM vola.events WHERE version = 1",
        TAKEN,
    ),
    "an event before the first": (
        'INSERT INTO vola.events SELECT session_id, 0, type, schema, at, "by", data, hash'
        " FROM vola.events WHERE version = 1",
        UNFIT,
    ),
    "an event without a seal": (
        "INSERT INTO vola.events SELECT session_id, 9999, type, schema, at, \"by\", data, ''"
        " FROM vola.events WHERE version = 1",
        UNFIT,
    ),
    "events dropped": ("DROP TABLE vola.events", NO_RIGHT),
    "the schema dropped": ("DROP SCHEMA vola CASCADE", NO_RIGHT),
    "the trigger dropped": ("DROP TRIGGER events_are_append_only ON vola.events", NO_RIGHT),
    "the triggers disabled": ("ALTER TABLE vola.events DISABLE TRIGGER ALL", NO_RIGHT),
    "the triggers passed over": ("SET session_replication_role = replica", NO_RIGHT),
    "the trigger's function replaced": (
        "CREATE OR REPLACE FUNCTION vola.refuse_event_change() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NEW; END'",
        NO_RIGHT,
    ),
    "a rule put before the events": (
        "CREATE RULE nothing AS ON INSERT TO vola.events DO INSTEAD NOTHING",
        NO_RIGHT,
    ),
    "a column added": ("ALTER TABLE vola.events ADD COLUMN more text", NO_RIGHT),
    "the events taken over": ("ALTER TABLE vola.events OWNER TO current_user", NO_RIGHT),
    "a function of one's own": (
        "CREATE FUNCTION vola.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        NO_RIGHT,
    ),
    "a table of one's own": ("CREATE TABLE public.mine (id integer)", NO_RIGHT),
    "the owner impersonated": ("SET ROLE vola_owner", NO_RIGHT),
    "the superuser impersonated": ("SET SESSION AUTHORIZATION postgres", NO_RIGHT),
    "a role made": ("CREATE ROLE mine SUPERUSER", NO_RIGHT),
    "oneself promoted": ("ALTER ROLE current_user SUPERUSER", NO_RIGHT),
    "a file read": ("SELECT pg_read_file('/etc/passwd')", NO_RIGHT),
    "a program run": ("COPY vola.sessions FROM PROGRAM 'id'", NO_RIGHT),
    "the server's settings changed": ("ALTER SYSTEM SET fsync = off", NO_RIGHT),
    "the secret replaced": ("UPDATE vola.secret SET secret = ''", NO_RIGHT),
    "the secret deleted": ("DELETE FROM vola.secret", NO_RIGHT),
    "the key replaced": ("UPDATE vola.signing_key SET secret = sha256('')", NO_RIGHT),
    "heads deleted": ("DELETE FROM vola.heads", NO_RIGHT),
    "creations deleted": ("DELETE FROM vola.creation_keys", NO_RIGHT),
    "answers deleted": ("DELETE FROM vola.stored_replies", NO_RIGHT),
    "remarks deleted": ("DELETE FROM vola.remarks", NO_RIGHT),
    "players deleted": ("DELETE FROM vola.players", NO_RIGHT),
    "a pot below nothing": ("UPDATE projections.pot SET amount = -1", UNFIT),
    "the trace of the migrations deleted": ("DELETE FROM public.vola_migrations", NO_RIGHT),
    "money made": (
        "BEGIN; UPDATE projections.balances SET amount = amount + 1 WHERE player_id = 'p1';"
        " UPDATE vola.heads SET at = at; COMMIT",
        NOT_WHOLE,
    ),
}


def tried(url: str, statement: str) -> str:
    """The SQLSTATE that this statement is refused with; nothing if it is not refused."""
    with psycopg.connect(url, autocommit=True) as db:
        try:
            db.execute(statement)
        except psycopg.Error as refused:
            return refused.sqlstate or ""
        return ""
