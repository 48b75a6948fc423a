"""What the projections' rows are: the differences when something happens, everything on rebuild.

The rows are made in one place, so that an append and a rebuild write the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ledger.postings import SHEET
from ledger.projections.deals import Deal, Deals, newest_first
from ledger.projections.journal import Line
from ledger.session import Session

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

LOSE_ROWS = ("bets", "deals")
"""A bet is taken, an undone deal was never opened; nothing else goes away again."""
STILL_OPEN: Row = ([], None, None, None)


def changes(before: Session, after: Session, lines: Iterable[Line]) -> dict[str, Any]:
    """What `vola.put` writes to bring the rows of one session from one version to another: rows of
    a table under its name, and under `bets gone` and `deals gone` the numbers of those that are no
    more."""
    told = dict[str, Any]()
    for table in ("pot", "bets", "balances", "payments"):
        if before.opened is None or getattr(before, table) is not getattr(after, table):
            _differences(told, table, _rows(before, table), _rows(after, table))
    if before.sheet is not after.sheet:
        _differences(told, "scores", _rows(before, "scores"), _rows(after, "scores"))
    if before.deals is not after.deals:
        old, new = _changed(before.deals, after.deals)
        was, now = (_deal(after, deal) for deal in old), (_deal(after, deal) for deal in new)
        _differences(told, "deals", was, now)
    if latest := {(line.version, line.line): line for line in lines}:  # booked and marked at once
        told["journal"] = [_named("journal", line_row(after, line)) for line in latest.values()]
    return told


def rows(session: Session, table: str) -> list[tuple[Key, Row]]:
    """Every row of this session in one of the projections, by its key."""
    return [(_key(table, row), row) for row in _rows(session, table)]


def _rows(session: Session, table: str) -> Iterator[Row]:
    if session.opened is None:
        return
    match table:
        case "pot":
            yield session.id, session.pot
        case "bets":
            for bet in session.bets:
                yield session.id, bet.number, bet.deal, list(bet.by), bet.amount, bet.paid
        case "balances":
            for player, amount in session.balances.items():
                yield session.id, player, amount
        case "payments":
            for p in session.payments.values():
                yield (
                    *(session.id, p.id, p.deal, p.payer, p.payee),
                    *(p.amount, p.status, p.due_at, p.reverses),
                )
        case "scores" if session.sheet:
            sheet = session.sheet
            for keeper, points in sheet.scores.items():
                bags = sheet.overtricks.get(keeper, 0)
                yield session.id, keeper, points, bags, keeper in sheet.winners
            yield session.id, SHEET, session.drawn, 0, False
        case "deals":
            for deal in newest_first(session.deals):
                yield _deal(session, deal)


def _deal(session: Session, deal: Deal) -> Row:
    end, opening = deal.closing, deal.opening
    return (
        *(session.id, deal.number, deal.status, deal.dealer, list(deal.seats), opening.played_for),
        *((list(end.declarers), end.outcome, end.winner, end.la_vola) if end else STILL_OPEN),
    )


def line_row(session: Session, line: Line) -> Row:
    return (
        *(session.id, line.version, line.line, line.deal, line.kind),
        *(line.source, line.target, line.amount, line.undone_by),
    )


def _key(table: str, row: Row) -> Key:
    return row[1 : 1 if table == "pot" else 2]


def _changed(before: Deals | None, after: Deals | None) -> tuple[list[Deal], list[Deal]]:
    """The deals on either side that the other does not have; the shared past is not walked."""
    old, new = list[Deal](), list[Deal]()
    while before is not after:
        if after is None or (before is not None and before.last.number > after.last.number):
            assert before is not None
            old.append(before.last)
            before = before.earlier
        elif before is None or after.last.number > before.last.number:
            new.append(after.last)
            after = after.earlier
        else:
            old.append(before.last)
            new.append(after.last)
            before, after = before.earlier, after.earlier
    return old, new


def _differences(
    told: dict[str, Any], table: str, before: Iterable[Row], after: Iterable[Row]
) -> None:
    old = {_key(table, row): row for row in before}
    new = {_key(table, row): row for row in after}
    if put := [_named(table, row) for key, row in new.items() if old.get(key) != row]:
        told[table] = put
    if gone := [key[0] for key in old if key not in new]:
        assert table in LOSE_ROWS, (table, gone)
        told[f"{table} gone"] = gone


def _named(table: str, row: Row) -> dict[str, Any]:
    """By column, without the session: all that is put is of one."""
    return dict(zip(COLUMNS[table][1:], row[1:], strict=True))
