"""The rows of the projections: what an append changes, and all rows for a rebuild.

Both are built here, so that an append and a rebuild write the same.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import asdict, astuple

from engine import events as e
from engine.scoring.score_sheet import ScoreSheet
from engine.values import Amount
from ledger.projections.deals import Deal, Deals, Status, newest_first
from ledger.projections.journal import JournalLine
from ledger.projections.postings import SHEET
from ledger.session.session_state import SessionState

Row = tuple[Any, ...]
Key = tuple[Any, ...]

COLUMNS = {
    "pot": ("session_id", "amount"),
    "bets": ("session_id", "bet", "deal", "by", "amount", "paid"),
    "balances": ("session_id", "player_id", "amount"),
    "payments": (
        "session_id",
        "payment_id",
        "deal",
        "payer",
        "payee",
        "amount",
        "status",
        "due_at",
        "reverses",
    ),
    "scores": ("session_id", "keeper", "points", "overtricks", "won"),
    "deals": (
        "session_id",
        "deal",
        "status",
        "dealer",
        "seats",
        "played_for",
        "declarers",
        "outcome",
        "winner",
        "la_vola",
    ),
    "journal": ("session_id", *JournalLine.__struct_fields__),
}

COLUMNS_WITHOUT_SESSION = {table: columns[1:] for table, columns in COLUMNS.items()}
"""Without the session id: an append changes rows of one session."""

FIELDS = {
    "pot": "pot",
    "bets": "bets",
    "balances": "balances",
    "payments": "payments",
    "scores": "sheet",
}
"""The field of a session that changes whenever a row of the table does."""

TABLES_WITH_DELETIONS = ("bets", "deals")
"""A bet is taken, or the opening of a deal undone; no other table loses rows."""


def row_changes(
    before: SessionState, after: SessionState, lines: Iterable[JournalLine]
) -> dict[str, Any]:
    """Return what `vola.write_changes` writes to take a session's rows from one version to another:
    the rows of a table under its name, and under `bets_deleted` and `deals_deleted` the numbers of
    those that are gone."""
    changes = dict[str, Any]()
    for table, field in FIELDS.items():
        if before.opened is None or getattr(before, field) is not getattr(after, field):
            old_values, new_values = _values_by_key(before, table), _values_by_key(after, table)
            _differences(changes, table, old_values, new_values)
    if before.deals is not after.deals:
        old_deals, new_deals = _changed_deals(before.deals, after.deals)
        _differences(
            changes, "deals", dict(map(_deal_values, old_deals)), dict(map(_deal_values, new_deals))
        )
    if latest := {(line.version, line.line): line for line in lines}:  # the last state of each line
        changes["journal"] = [asdict(line) for line in latest.values()]
    return changes


def session_rows(session: SessionState, table: str) -> list[tuple[Key, Row]]:
    """Return every row of this session in one projection, each with its key."""
    return [
        (() if key is None else (key,), (session.id, *_row(table, key, value)))
        for key, value in _values_by_key(session, table).items()
    ]


def journal_row(session: SessionState, line: JournalLine) -> Row:
    return session.id, *astuple(line)


def _values_by_key(session: SessionState, table: str) -> Mapping[Any, Any]:
    """Return the values of this session in a table, by row key; the pot's only key is None."""
    if session.opened is None:
        return {}
    match table:
        case "pot":
            return {None: session.pot}
        case "bets":
            return {bet.number: bet for bet in session.bets}
        case "balances":
            return session.balances
        case "payments":
            return session.payments
        case "scores" if session.sheet:
            return _scores(session.sheet, session.sheet_balance)
        case "deals":
            return dict(map(_deal_values, newest_first(session.deals)))
    return {}


def _scores(sheet: ScoreSheet, sheet_balance: Amount) -> dict[str, Row]:
    """Return points, overtricks and whether the game is won, by keeper: a player or a side, or the
    sheet."""
    by_keeper = {
        keeper: (points, sheet.overtricks.get(keeper, 0), keeper in sheet.winners)
        for keeper, points in sheet.scores.items()
    }
    return {**by_keeper, SHEET: (sheet_balance, 0, False)}


def _row(table: str, key: Any, value: Any) -> Row:
    """Return the columns of a row without the session id."""
    match table:
        case "pot":
            return (value,)
        case "balances":
            return key, value
        case "bets":
            return key, value.deal, list(value.by), value.amount, value.paid
        case "payments":
            p = value
            return key, p.deal, p.payer, p.payee, p.amount, p.status, p.due_at, p.reverses
        case "scores":
            return key, *value
        case "deals":
            status, opened, closed = value
            opening_columns = key, status, opened.dealer, list(opened.seats), opened.played_for
            if closed is None:
                return *opening_columns, [], None, None, None
            return (
                *opening_columns,
                list(closed.declarers),
                closed.outcome,
                closed.winner,
                closed.la_vola,
            )
    raise AssertionError(table)


def _deal_values(deal: Deal) -> tuple[int, tuple[Status, e.DealOpened, e.DealClosed | None]]:
    """Return the number of a deal, and its status, opening and closing."""
    opened, closed = deal.opening, deal.closing
    status: Status = "voided" if deal.voided else "closed" if closed else "open"
    return opened.number, (status, opened, closed)


def _changed_deals(before: Deals | None, after: Deals | None) -> tuple[list[Deal], list[Deal]]:
    """Return the deals that only one of two states has; deals that both share are not visited."""
    old, new = list[Deal](), list[Deal]()
    while before is not after:
        was = before.last.number if before else 0
        now = after.last.number if after else 0
        if before and was >= now:
            old.append(before.last)
            before = before.earlier
        if after and now >= was:
            new.append(after.last)
            after = after.earlier
    return old, new


def _differences(
    changes: dict[str, Any], table: str, before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> None:
    changed_rows = list[dict[str, Any]]()
    for key, value in after.items():
        old_value = before.get(key)
        if old_value == value:
            continue
        row = _row(table, key, value)
        if old_value is None or _row(table, key, old_value) != row:
            changed_rows.append(_named(table, row))
    if changed_rows:
        changes[table] = changed_rows
    if deleted_keys := [key for key in before if key not in after]:
        assert table in TABLES_WITH_DELETIONS, (table, deleted_keys)
        changes[f"{table}_deleted"] = deleted_keys


def _named(table: str, row: Row) -> dict[str, Any]:
    return dict(zip(COLUMNS_WITHOUT_SESSION[table], row, strict=True))
