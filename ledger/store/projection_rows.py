"""What the projections' rows are: the differences when something happens, everything on rebuild.

The rows are made in one place, so that an append and a rebuild write the same.
"""

from collections.abc import Iterable, Mapping
from typing import Any

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
    "journal": (
        "session_id",
        "version",
        "line",
        "deal",
        "kind",
        "source",
        "target",
        "amount",
        "undone_by",
    ),
}

COLUMNS_WITHOUT_SESSION = {table: columns[1:] for table, columns in COLUMNS.items()}
"""Without the session: all that is put is of one."""

TABLES_WITH_DELETIONS = ("bets", "deals")
"""A bet is taken, an undone deal was never opened; nothing else goes away again."""


def row_changes(
    before: SessionState, after: SessionState, lines: Iterable[JournalLine]
) -> dict[str, Any]:
    """Return what `vola.write_changes` writes to take a session's rows from one version to another:
    the rows of a table under its name, and under `bets_deleted` and `deals_deleted` the numbers of
    those that are gone."""
    told = dict[str, Any]()
    for table in ("pot", "bets", "balances", "payments"):
        if before.opened is None or getattr(before, table) is not getattr(after, table):
            _differences(told, table, _shown(before, table), _shown(after, table))
    if before.sheet is not after.sheet:
        _differences(told, "scores", _shown(before, "scores"), _shown(after, "scores"))
    if before.deals is not after.deals:
        was, now = _changed(before.deals, after.deals)
        _differences(told, "deals", dict(map(_deal, was)), dict(map(_deal, now)))
    if latest := {(line.version, line.line): line for line in lines}:  # booked and marked at once
        told["journal"] = [_named("journal", _line(line)) for line in latest.values()]
    return told


def session_rows(session: SessionState, table: str) -> list[tuple[Key, Row]]:
    """Every row of this session in one of the projections, by its key."""
    return [
        (() if key is None else (key,), (session.id, *_row(table, key, shown)))
        for key, shown in _shown(session, table).items()
    ]


def journal_row(session: SessionState, line: JournalLine) -> Row:
    return session.id, *_line(line)


def _shown(session: SessionState, table: str) -> Mapping[Any, Any]:
    """What a table shows of this session, by the key of its row; there is only one pot."""
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
            return dict(map(_deal, newest_first(session.deals)))
    return {}


def _scores(sheet: ScoreSheet, drawn: Amount) -> dict[str, Row]:
    """Points, overtricks, and whether the game is won."""
    of_keepers = {
        keeper: (points, sheet.overtricks.get(keeper, 0), keeper in sheet.winners)
        for keeper, points in sheet.scores.items()
    }
    return {**of_keepers, SHEET: (drawn, 0, False)}


def _row(table: str, key: Any, shown: Any) -> Row:
    """All but the session."""
    match table:
        case "pot":
            return (shown,)
        case "balances":
            return key, shown
        case "bets":
            return key, shown.deal, list(shown.by), shown.amount, shown.paid
        case "payments":
            p = shown
            return key, p.deal, p.payer, p.payee, p.amount, p.status, p.due_at, p.reverses
        case "scores":
            return key, *shown
        case "deals":
            status, opened, closed = shown
            begun = key, status, opened.dealer, list(opened.seats), opened.played_for
            if closed is None:
                return *begun, [], None, None, None
            return *begun, list(closed.declarers), closed.outcome, closed.winner, closed.la_vola
    raise AssertionError(table)


def _deal(deal: Deal) -> tuple[int, tuple[Status, e.DealOpened, e.DealClosed | None]]:
    """Its number, and what is shown of it: what is said between opening and closing is not."""
    opened, closed = deal.opening, deal.closing
    status: Status = "voided" if deal.voided else "closed" if closed else "open"
    return opened.number, (status, opened, closed)


def _line(line: JournalLine) -> Row:
    return (
        *(line.version, line.line, line.deal, line.kind),
        *(line.source, line.target, line.amount, line.undone_by),
    )


def _changed(before: Deals | None, after: Deals | None) -> tuple[list[Deal], list[Deal]]:
    """The deals on either side that the other does not have; the shared past is not walked."""
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
    told: dict[str, Any], table: str, before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> None:
    put = list[dict[str, Any]]()
    for key, shown in after.items():
        was = before.get(key)
        if was == shown:
            continue
        row = _row(table, key, shown)
        if was is None or _row(table, key, was) != row:
            put.append(_named(table, row))
    if put:
        told[table] = put
    if gone := [key for key in before if key not in after]:
        assert table in TABLES_WITH_DELETIONS, (table, gone)
        told[f"{table}_deleted"] = gone


def _named(table: str, row: Row) -> dict[str, Any]:
    return dict(zip(COLUMNS_WITHOUT_SESSION[table], row, strict=True))
