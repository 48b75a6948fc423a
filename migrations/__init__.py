"""The tables, step by step, forward only. Run by the owner; knows nothing of the other packages."""

from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

STEPS = sorted(Path(__file__).parent.glob("[0-9]*.sql"))

LOCK = "SELECT pg_advisory_xact_lock(7316052)"  # two processes may start at once
DONE_TABLE = """
CREATE TABLE IF NOT EXISTS public.vola_migrations (
    name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
"""
DONE = "SELECT name FROM public.vola_migrations"
WHO = "SELECT current_user"
SILENT_SECONDS = 5
"""A server that does not answer for so long is away."""
NOTE = "INSERT INTO public.vola_migrations (name) VALUES (%(name)s)"

APP_MAY = [
    sql.SQL(right)
    for right in (
        "GRANT USAGE ON SCHEMA vola, projections TO {role}",
        "GRANT SELECT ON vola.secret, public.vola_migrations TO {role}",
        "GRANT SELECT, INSERT ON vola.events, vola.creations, vola.keys TO {role}",
        "GRANT SELECT, INSERT, UPDATE ON vola.heads, vola.sessions, vola.players, vola.replies,"
        " vola.remarks TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON vola.stuck, vola.tallies TO {role}",
        "GRANT SELECT, INSERT ON vola.evenings, vola.attendance, vola.circle_creations TO {role}",
        "GRANT SELECT, INSERT, UPDATE ON vola.phones, vola.knocks TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON vola.pins, vola.codes TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON vola.recording TO {role}",
        "GRANT SELECT, INSERT, UPDATE ON vola.circles, vola.members, vola.circle_replies TO {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA projections TO {role}",
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA vola TO {role}",
    )
]
AUDITOR_MAY = [
    sql.SQL(right)
    for right in (
        "GRANT USAGE ON SCHEMA vola, projections TO {role}",
        "GRANT SELECT ON ALL TABLES IN SCHEMA vola, projections TO {role}",
        "REVOKE ALL ON vola.secret, vola.keys, vola.pins, vola.codes FROM {role}",
        "GRANT SELECT (public, made_at) ON vola.keys TO {role}",
        "GRANT SELECT ON public.vola_migrations TO {role}",
    )
]


def apply(owner_url: str, *, app_url: str, audit_url: str) -> list[str]:
    """Bring the database up to date; return the steps that were taken now.

    The roles in `app_url` and `audit_url` are granted what they need, and no more; grants are
    skipped for a role that is the owner itself. psycopg.Error when the owner may not.
    """
    with psycopg.connect(owner_url) as db:
        db.execute(LOCK)
        db.execute(DONE_TABLE)
        done = {name for (name,) in db.execute(DONE)}
        taken = []
        for step in STEPS:
            if step.name not in done:
                db.execute(step.read_bytes())
                db.execute(NOTE, {"name": step.name})
                taken.append(step.name)
        grant(db, app=role(app_url), auditor=role(audit_url))
    return taken


def role(url: str) -> str | None:
    """The user that this address logs in as, wherever he is named: in it, or around it (PGUSER, a
    service), which only the server tells. None if he is not in it and the server is away."""
    named = conninfo_to_dict(url).get("user")
    if named is not None:
        return str(named)
    try:
        with psycopg.connect(url, connect_timeout=SILENT_SECONDS) as db:
            row = db.execute(WHO).fetchone()
    except psycopg.OperationalError:  # an auditor's may come back later
        return None
    assert row is not None
    return str(row[0])


def pending(url: str) -> list[str]:
    """The steps that this database still lacks."""
    with psycopg.connect(url) as db:
        known = db.execute("SELECT to_regclass('public.vola_migrations')").fetchone()
        done = {name for (name,) in db.execute(DONE)} if known and known[0] else set()
    return [step.name for step in STEPS if step.name not in done]


def grant(db: psycopg.Connection, *, app: str | None, auditor: str | None) -> None:
    """App: events INSERT and SELECT only. Auditor: SELECT, and never the secret."""
    row = db.execute(WHO).fetchone()
    assert row is not None
    if auditor and auditor not in (row[0], app):
        for right in AUDITOR_MAY:
            db.execute(right.format(role=sql.Identifier(auditor)))
    if app and app != row[0]:
        for right in APP_MAY:
            db.execute(right.format(role=sql.Identifier(app)))
