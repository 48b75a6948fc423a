"""Whether the evening can have gone like that, and whether the projections are what it comes to."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from ledger.auditing.findings import Finding, finding
from ledger.auditing.seals import Stream
from ledger.database import Connection
from ledger.envelope import Recorded, Unreadable
from ledger.history import history
from ledger.projections.deals import Deal, newest_first
from ledger.projector import COLUMNS, rows
from ledger.proven import proven
from ledger.session import Session, apply

STORED = {
    "pot": "SELECT * FROM projections.pot WHERE session_id = %(session_id)s",
    "bets": "SELECT * FROM projections.bets WHERE session_id = %(session_id)s",
    "balances": "SELECT * FROM projections.balances WHERE session_id = %(session_id)s",
    "payments": "SELECT * FROM projections.payments WHERE session_id = %(session_id)s",
    "scores": "SELECT * FROM projections.scores WHERE session_id = %(session_id)s",
    "deals": "SELECT * FROM projections.deals WHERE session_id = %(session_id)s",
    "journal": "SELECT * FROM projections.journal WHERE session_id = %(session_id)s",
}


class Impossible(Exception):
    """These events cannot have happened one after the other."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.detail)
        self.found = found


def check(db: Connection, session_id: UUID, stream: Stream) -> Iterator[Finding]:
    """Findings about the projections and about the play. Impossible."""
    session, lines = Session(id=session_id), dict[tuple[int, int], Any]()
    recorded: Recorded | None = None
    try:
        for recorded in history(db, session_id, 0, stream.version):
            session, written = apply(session, recorded)
            lines.update(((line.version, line.line), line) for line in written)
    except psycopg.Error:
        raise
    except Unreadable as unread:
        found = finding("event_impossible", unread.version, str(unread))
        raise Impossible(found) from unread
    except Exception as error:  # whatever it is that a forged event breaks
        at = recorded.version if recorded else session.version + 1
        detail = f"It cannot have happened: {error}"
        raise Impossible(finding("event_impossible", at, detail)) from error
    if session.acted != stream.acted:
        yield finding("head_wrong", session.version, f"acted is {stream.acted}.")
    for table in STORED:
        if table == "journal":
            made = {(session_id, *msgspec.structs.astuple(line)) for line in lines.values()}
        else:
            made = {_hashable(row) for _, row in rows(session, table)}
        kept = {_hashable(row) for row in db.execute(STORED[table], {"session_id": session_id})}
        for row in sorted(made ^ kept, key=repr):
            what = "missing or changed" if row in made else "not from any event"
            columns = dict(zip(COLUMNS[table][1:], row[1:], strict=True))
            detail = f"{table}: {what}: {columns}"
            yield finding("projection_differs", session.version, detail)
    for deal in newest_first(session.deals):
        yield from _play(session, deal)


def _play(session: Session, deal: Deal) -> Iterator[Finding]:
    """What the cards of a deal prove about how it was played."""
    for version, revoke in proven(session, deal):
        could = ", ".join(revoke.legal)
        detail = f"{revoke.player} played {revoke.card} to trick {revoke.trick}, holding {could}."
        yield Finding(code="revoke", version=version, detail=detail, deal=deal.number, about="play")


def _hashable(row: Any) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)
