"""The projections of a session as they are stored: its head, its payments and its journal.

An append, a rebuild and an audit all take the rows from here, so that they write and expect the
same.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from msgspec.structs import astuple
from psycopg import sql

from ledger.projections.journal import JournalLine
from ledger.projections.la_vola_payments import Payment
from ledger.projections.postings import SHEET
from ledger.session.session_state import SessionState
from ledger.store.connection_pool import Connection

Row = tuple[Any, ...]

TABLES = {
    "payments": ("payment_id", *Payment.__struct_fields__[1:]),
    "journal": JournalLine.__struct_fields__,
}
"""The tables of projections with their columns, without `session_id`."""

STORED_HEADS = """
SELECT session_id,
       to_jsonb(h) - 'session_id' - 'access_version'
       || jsonb_build_object('hash', '\\x' || encode(hash, 'hex'))
  FROM vola.heads h WHERE session_id = ANY(%(session_ids)s)
"""
"""The hash as an append writes it: to_jsonb alone would follow the setting bytea_output."""
STORED_ROWS = {
    table: sql.SQL(
        "SELECT array_position(%(session_ids)s, session_id), {} FROM {}"
        " WHERE session_id = ANY(%(session_ids)s)"
    ).format(sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier("projections", table))
    for table, columns in TABLES.items()
}
"""Each row begins with the place of its session among those asked for, from 1: numbers are
read in half the time of ids."""

STATE_FIELDS = {"pot": "pot", "balances": "balances", "bets": "bets", "scores": "sheet"}
"""The columns of a head that hold what the events add up to, each with the field of the session
that changes whenever the column does."""


class ProjectionRows(NamedTuple):
    """All rows of a session: its head as JSON, and the rows of each table."""

    head: Any  # None without one
    tables: dict[str, set[Row]]


def folded_rows(session: SessionState, lines: Iterable[JournalLine]) -> ProjectionRows:
    """Return the rows that belong to a session; `lines` are all that its fold has returned."""
    latest = {(line.version, line.line): line for line in lines}
    tables = {
        "payments": {astuple(payment) for payment in session.payments.values()},
        "journal": {astuple(line) for line in latest.values()},
    }
    return ProjectionRows(_version_columns(session) | _state_columns(session), tables)


def stored_rows(db: Connection, session_ids: Sequence[UUID]) -> list[ProjectionRows]:
    """Return the rows that the database has for each of these sessions."""
    parameters = {"session_ids": list(session_ids)}
    heads: dict[UUID, Any] = dict(db.execute(STORED_HEADS, parameters).fetchall())
    tables: dict[str, list[set[Row]]] = {table: [set() for _ in session_ids] for table in TABLES}
    cursor = db.cursor(binary=True)  # reads many rows faster
    for table, rows_by_session in tables.items():
        for row in cursor.execute(STORED_ROWS[table], parameters).fetchall():
            rows_by_session[row[0] - 1].add(row[1:])
    return [
        ProjectionRows(heads.get(session_id), {table: tables[table][i] for table in TABLES})
        for i, session_id in enumerate(session_ids)
    ]


def row_changes(
    before: SessionState, after: SessionState, lines: Iterable[JournalLine]
) -> dict[str, Any]:
    """Return what `vola.append` writes to take a session's rows from one version to another:
    the head without columns that stay, and the rows of a table under its name."""
    head = _version_columns(after)
    changed_columns = [
        column
        for column, field in STATE_FIELDS.items()
        if before.opened is None or getattr(before, field) != getattr(after, field)
    ]
    if changed_columns:
        state = _state_columns(after)
        head |= {column: state[column] for column in changed_columns}
    changes: dict[str, Any] = {"head": head}
    if before.payments is not after.payments:
        earlier = before.payments
        changed = [p for p in after.payments.values() if earlier.get(p.id) != p]
        changes["payments"] = [astuple(p) for p in changed if p.id not in earlier]
        changes["payment_statuses"] = [(p.id, p.status) for p in changed if p.id in earlier]
    if latest := {(line.version, line.line): line for line in lines}:
        changes["journal"] = [astuple(n) for n in latest.values() if n.version > before.version]
        changes["undone_lines"] = [
            (n.version, n.line, n.undone_by) for n in latest.values() if n.version <= before.version
        ]
    return {name: rows for name, rows in changes.items() if rows}


def _version_columns(session: SessionState) -> dict[str, Any]:
    return {
        "version": session.version,
        "conflict_version": session.conflict_version,
        "at": session.at,
        "hash": f"\\x{session.hash.hex()}",
    }


def _state_columns(session: SessionState) -> dict[str, Any]:
    return {
        "pot": session.pot,
        "balances": list(session.balances.values()),  # of p1, p2 …
        "bets": [
            {"bet": b.number, "deal": b.deal, "by": list(b.by), "amount": b.amount, "paid": b.paid}
            for b in session.bets
        ],
        "scores": _scores(session),
    }


def _scores(session: SessionState) -> list[dict[str, Any]]:
    """Return what each contestant has, a player or a side, and at last the sheet."""
    sheet = session.sheet
    if sheet is None:
        return []
    scores = {**sheet.scores, SHEET: session.sheet_balance}
    return [
        {
            "keeper": contestant,
            "points": points,
            "overtricks": sheet.overtricks.get(contestant, 0),
            "won": contestant in sheet.winners,
        }
        for contestant, points in scores.items()
    ]
