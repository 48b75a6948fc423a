"""Writes what the projections say: the differences when something happens, everything on rebuild.

The rows are made in one place, so that an append and a rebuild write the same.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ledger.database import Connection
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

PUT = {
    "pot": """
INSERT INTO projections.pot VALUES (%s, %s)
ON CONFLICT (session_id) DO UPDATE SET amount = excluded.amount""",
    "bets": """
INSERT INTO projections.bets VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (session_id, bet) DO UPDATE
   SET deal = excluded.deal, "by" = excluded."by",
       amount = excluded.amount, paid = excluded.paid""",
    "balances": """
INSERT INTO projections.balances VALUES (%s, %s, %s)
ON CONFLICT (session_id, player_id) DO UPDATE SET amount = excluded.amount""",
    "payments": """
INSERT INTO projections.payments VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (session_id, payment_id) DO UPDATE SET status = excluded.status""",
    "scores": """
INSERT INTO projections.scores VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (session_id, keeper) DO UPDATE
   SET points = excluded.points, overtricks = excluded.overtricks, won = excluded.won""",
    "deals": """
INSERT INTO projections.deals VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (session_id, deal) DO UPDATE
   SET status = excluded.status, dealer = excluded.dealer, seats = excluded.seats,
       played_for = excluded.played_for, declarers = excluded.declarers,
       outcome = excluded.outcome, winner = excluded.winner, la_vola = excluded.la_vola""",
    "journal": """
INSERT INTO projections.journal VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (session_id, version, line) DO UPDATE SET undone_by = excluded.undone_by""",
}
DROP = {
    "bets": "DELETE FROM projections.bets WHERE session_id = %s AND bet = %s",
    "deals": "DELETE FROM projections.deals WHERE session_id = %s AND deal = %s",
}


STILL_OPEN: Row = ([], None, None, None)


def write(db: Connection, before: Session, after: Session, lines: Iterable[Line]) -> None:
    """Bring the rows of one session from one version to another, in the caller's transaction."""
    for table in ("pot", "bets", "balances", "payments"):
        if before.opened is None or getattr(before, table) is not getattr(after, table):
            _differences(db, table, dict(rows(before, table)), dict(rows(after, table)))
    if before.sheet is not after.sheet:
        _differences(db, "scores", dict(rows(before, "scores")), dict(rows(after, "scores")))
    if before.deals is not after.deals:
        old_deals, new_deals = _changed(before.deals, after.deals)
        _differences(
            db,
            "deals",
            {_key("deals", row): row for row in (_deal(after, deal) for deal in old_deals)},
            {_key("deals", row): row for row in (_deal(after, deal) for deal in new_deals)},
        )
    journal = [line_row(after, line) for line in lines]
    if journal:
        db.cursor().executemany(PUT["journal"], journal)


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


def _differences(db: Connection, table: str, old: dict[Key, Row], new: dict[Key, Row]) -> None:
    put = [row for key, row in new.items() if old.get(key) != row]
    drop = [(row[0], *key) for key, row in old.items() if key not in new]
    cursor = db.cursor()
    if drop:
        cursor.executemany(DROP[table], drop)
    if put:
        cursor.executemany(PUT[table], put)
