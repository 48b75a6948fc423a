"""The database schema: numbered migrations, forward only, and the current body of each function.

Run by the owner of the tables; knows nothing of the other packages. Tables in a released
migration are never edited. A function is in functions/<name>.sql alone and is re-created when its
text changes; a migration drops a function or a signature that is gone. Missing numbers were never
released; a new table also needs its grants below. Older servers keep working after a migration; one
that they cannot work with ends with `COMMENT ON TABLE public.vola_migrations IS '<its file name>'`.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

STEPS = sorted(Path(__file__).parent.glob("[0-9]*.sql"))
FUNCTIONS = sorted(Path(__file__).parent.glob("functions/*.sql"))

LOCK = "SELECT pg_advisory_xact_lock(7316052)"  # two processes may start at once
CREATE_MIGRATIONS_TABLE = """
CREATE TABLE IF NOT EXISTS public.vola_migrations (
    name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
"""
MIGRATIONS_TABLE = "SELECT to_regclass('public.vola_migrations')"
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"
REQUIRED_MIGRATION = "SELECT obj_description(to_regclass('public.vola_migrations'), 'pg_class')"
FUNCTION_COMMENTS = """
SELECT proname, obj_description(oid, 'pg_proc') FROM pg_proc
 WHERE pronamespace = to_regnamespace('vola')
"""
COMMENT_ON_FUNCTION = "COMMENT ON FUNCTION vola.{function} IS {comment}"
CURRENT_ROLE = "SELECT current_user"
CONNECT_TIMEOUT_SECONDS = 5
"""A server that does not answer within this time counts as out of reach."""
RECORD_MIGRATION = "INSERT INTO public.vola_migrations (name) VALUES (%(name)s)"

APP_GRANTS = (
    "GRANT USAGE ON SCHEMA vola, projections TO {role}",
    "GRANT SELECT ON vola.secret, public.vola_migrations TO {role}",
    "GRANT SELECT, INSERT ON vola.events, vola.creation_keys, vola.group_sessions,"
    " vola.attendance, vola.group_creation_keys, vola.cosignatures, vola.group_events TO {role}",
    "GRANT SELECT, INSERT, UPDATE ON vola.heads, vola.sessions, vola.players, vola.remarks,"
    " vola.stored_replies, vola.devices, vola.join_requests, vola.groups, vola.group_members,"
    " vola.group_stored_replies, vola.witnesses TO {role}",
    "REVOKE INSERT ON vola.signing_key FROM {role}",  # granted before 0027
    "GRANT SELECT, INSERT (public, secret) ON vola.signing_key TO {role}",
    "GRANT SELECT, INSERT, DELETE ON vola.spellings TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON vola.settlement_failures, vola.counters,"
    " vola.join_codes, vola.presence, vola.objections TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA projections TO {role}",
    "GRANT SELECT, INSERT, UPDATE ON projections.payments, projections.journal TO {role}",
    "REVOKE DELETE ON projections.payments, projections.journal FROM {role}",  # granted before 0025
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA vola TO {role}",
)
AUDITOR_GRANTS = (
    "GRANT USAGE ON SCHEMA vola, projections TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA vola, projections TO {role}",
    "REVOKE ALL ON vola.secret, vola.signing_key, vola.join_codes FROM {role}",
    "GRANT SELECT (number, public, endorsement, made_at) ON vola.signing_key TO {role}",
    "GRANT SELECT ON public.vola_migrations TO {role}",
)


@dataclass(frozen=True, kw_only=True)
class MigrationPlan:
    """What `apply` would run, and whether the database has no tables yet."""

    files: list[str]
    is_new: bool

    @property
    def changes_tables(self) -> bool:
        """Whether tables that may hold sessions would change, not only functions."""
        steps = {step.name for step in STEPS}
        return not self.is_new and any(file in steps for file in self.files)


def apply(owner_url: str, *, app_url: str, audit_url: str) -> list[str]:
    """Bring the database up to date in one transaction; return the files that were run.

    The roles in `app_url` and `audit_url` are granted what they need, and no more; grants are
    skipped for a role that is the owner itself. Raise psycopg.Error when the owner may not.
    """
    with psycopg.connect(owner_url) as db:
        db.execute(LOCK)
        db.execute(CREATE_MIGRATIONS_TABLE)
        applied = _applied(db)
        run = []
        for step in STEPS:
            if step.name not in applied:
                db.execute(step.read_bytes())
                db.execute(RECORD_MIGRATION, {"name": step.name})
                run.append(step.name)
        for function in _changed_functions(db, applied):
            db.execute(function.read_bytes())
            name, comment = sql.Identifier(function.stem), sql.Literal(_checksum(function))
            db.execute(sql.SQL(COMMENT_ON_FUNCTION).format(function=name, comment=comment))
            run.append(f"functions/{function.name}")
        grant(db, app=role(app_url), auditor=role(audit_url))
    return run


def role(url: str) -> str | None:
    """Return the role that this URL logs in as. If the URL does not name one (PGUSER or a service
    may), ask the server; None if that is out of reach."""
    named = conninfo_to_dict(url).get("user")
    if named is not None:
        return str(named)
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_SECONDS) as db:
            ((current_role,),) = db.execute(CURRENT_ROLE)
    except psycopg.OperationalError:  # the auditor's server may come back later
        return None
    return str(current_role)


def read_plan(url: str) -> MigrationPlan:
    """Return what `apply` would run in this database. Raise psycopg.Error."""
    with psycopg.connect(url) as db:
        row = db.execute(MIGRATIONS_TABLE).fetchone()
        applied = _applied(db) if row and row[0] else set()
        functions = _changed_functions(db, applied)
    steps = [step.name for step in STEPS if step.name not in applied]
    files = steps + [f"functions/{function.name}" for function in functions]
    return MigrationPlan(files=files, is_new=not applied)


def newer_required_migration(url: str) -> str | None:
    """Return the migration that this database requires and this version of Vola does not have; None
    if there is none. Raise psycopg.Error."""
    with psycopg.connect(url) as db:
        ((required,),) = db.execute(REQUIRED_MIGRATION)
    known_names = {step.name for step in STEPS}
    return required if required is not None and required not in known_names else None


def purpose(file: str) -> str:
    """Return the first sentence of a file that `read_plan` names, which says what it is for."""
    comment = []
    for line in Path(__file__).parent.joinpath(file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("--"):
            break
        comment.append(line.removeprefix("--").strip())
    return " ".join(comment).split(". ")[0].rstrip(".") + "."


def _applied(db: psycopg.Connection) -> set[str]:
    return {name for (name,) in db.execute(APPLIED_MIGRATIONS)}


def _changed_functions(db: psycopg.Connection, applied: set[str]) -> list[Path]:
    """Return the functions whose checksum is not the comment of the one in the database. Empty if a
    newer version of Vola has migrated the database: its functions stay."""
    if not applied <= {step.name for step in STEPS}:
        return []
    comments: dict[str, str | None] = dict(db.execute(FUNCTION_COMMENTS).fetchall())
    return [file for file in FUNCTIONS if comments.get(file.stem) != _checksum(file)]


def _checksum(function: Path) -> str:
    return f"sha256 {sha256(function.read_bytes()).hexdigest()}"


def grant(db: psycopg.Connection, *, app: str | None, auditor: str | None) -> None:
    """Grant both roles what they need. The app may only INSERT and SELECT events; the auditor may
    only SELECT, and never the secret."""
    ((owner,),) = db.execute(CURRENT_ROLE)
    if auditor and auditor not in (owner, app):
        for right in AUDITOR_GRANTS:
            db.execute(sql.SQL(right).format(role=sql.Identifier(auditor)))
    if app and app != owner:
        for right in APP_GRANTS:
            db.execute(sql.SQL(right).format(role=sql.Identifier(app)))
