"""All projections folded anew from the events, beside the old ones, and then swapped in.

Nothing is settled, sent or rung on the way: only rows are made. Appends go on until the swap.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.database import Connection
from ledger.history import history
from ledger.projections.journal import Line
from ledger.projector import COLUMNS, line_row, rows
from ledger.session import Session, apply

SHADOW, LIVE = "projections_shadow", "projections"

HEADS = "SELECT session_id, version FROM vola.heads ORDER BY session_id"
HOLD_WRITERS = "LOCK TABLE vola.heads IN SHARE ROW EXCLUSIVE MODE"
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(7316053)"  # and no audit meanwhile
DROP_SHADOW = "DROP SCHEMA IF EXISTS projections_shadow CASCADE"
MAKE_SHADOW = "CREATE SCHEMA projections_shadow"
LIKE = "CREATE TABLE {shadow}.{table} (LIKE {live}.{table} INCLUDING ALL)"
COPY = "COPY {shadow}.{table} FROM STDIN"
FORGET = "DELETE FROM {shadow}.{table} WHERE session_id = %(session_id)s"
DIFFER = """
SELECT count(*) FROM ((TABLE {live}.{table} EXCEPT ALL TABLE {shadow}.{table})
                      UNION ALL (TABLE {shadow}.{table} EXCEPT ALL TABLE {live}.{table})) AS d
"""
GRANTS = """
SELECT DISTINCT grantee::regrole::text, privilege_type
  FROM pg_class, aclexplode(relacl)
 WHERE oid = 'projections.pot'::regclass AND grantee <> relowner AND grantee <> 0
"""
OPTIONS = """
SELECT c.relname, c.reloptions FROM pg_class c
 WHERE c.relnamespace = 'projections'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
"""
SWAP = (
    "ALTER SCHEMA projections RENAME TO projections_old",
    "ALTER SCHEMA projections_shadow RENAME TO projections",
)
DROP_OLD = "DROP SCHEMA IF EXISTS projections_old CASCADE"
DROP_WAIT = "SET lock_timeout = '500ms'"


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    sessions: int
    events: int
    rows: int
    differed: int  # rows that were not as they should have been, or the other way round


def rebuild(owner_url: str, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
    """Fold everything anew and swap. psycopg.Error when the role is not the owner."""
    _drop_old(owner_url)  # of a rebuild whose readers stayed too long
    with psycopg.connect(owner_url) as db:
        db.execute(ONE_AT_A_TIME)
        _make_shadow(db)
        done: dict[UUID, int] = {}
        written = _fold_in(db, done, progress)
        db.execute(HOLD_WRITERS)  # short: only what was appended meanwhile is left to fold
        written += _fold_in(db, done, progress)
        differed = sum(_one(db, DIFFER, table) for table in COLUMNS)
        for statement in SWAP:
            db.execute(statement)
    _drop_old(owner_url)
    return Rebuilt(sessions=len(done), events=sum(done.values()), rows=written, differed=differed)


def _drop_old(owner_url: str) -> None:
    """Throw the old tables away when nobody reads them any more; a later rebuild tries again.

    Apart from the swap: whoever waits for a reader must not hold up those who write.
    """
    with psycopg.connect(owner_url) as db:
        db.execute(DROP_WAIT)
        try:
            db.execute(DROP_OLD)
        except psycopg.errors.LockNotAvailable:
            db.rollback()


def _make_shadow(db: Connection) -> None:
    db.execute(DROP_SHADOW)
    db.execute(MAKE_SHADOW)
    for table in COLUMNS:
        db.execute(_named(LIKE, table))
    for table, options in db.execute(OPTIONS).fetchall():
        settings = sql.SQL(", ").join(sql.SQL(option) for option in options)
        target = sql.Identifier(SHADOW, table)
        db.execute(sql.SQL("ALTER TABLE {} SET ({})").format(target, settings))
    for role, right in db.execute(GRANTS).fetchall():
        who = sql.SQL(role)  # regrole has quoted it already
        db.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(SHADOW), who))
        db.execute(
            sql.SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}").format(
                sql.SQL(right), sql.Identifier(SHADOW), who
            )
        )


def _fold_in(db: Connection, done: dict[UUID, int], progress: Callable[[int], None]) -> int:
    """Sessions whose version is not the one that has been folded; how many rows they gave."""
    written = 0
    for session_id, version in db.execute(HEADS).fetchall():
        if done.get(session_id) == version:
            continue
        if session_id in done:
            for table in COLUMNS:
                db.execute(_named(FORGET, table), {"session_id": session_id})
        session, lines = Session(id=session_id), dict[tuple[int, int], Line]()
        for recorded in history(db, session_id, 0, version):
            session, new = apply(session, recorded)
            lines.update(((line.version, line.line), line) for line in new)
        for table in COLUMNS:
            if table == "journal":
                made: list[Any] = [line_row(session, line) for line in lines.values()]
            else:
                made = [row for _, row in rows(session, table)]
            written += _copy(db, table, made)
        done[session_id] = version
        progress(len(done))
    return written


def _copy(db: Connection, table: str, made: Iterable[Any]) -> int:
    count = 0
    with db.cursor().copy(_named(COPY, table)) as copy:
        for row in made:
            copy.write_row(row)
            count += 1
    return count


def _named(statement: str, table: str) -> sql.Composed:
    return sql.SQL(statement).format(
        shadow=sql.Identifier(SHADOW), live=sql.Identifier(LIVE), table=sql.Identifier(table)
    )


def _one(db: Connection, statement: str, table: str) -> int:
    row = db.execute(_named(statement, table)).fetchone()
    assert row is not None
    return int(row[0])
