"""Check that the events can be folded, and that the projections are what the fold gives."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import psycopg
from psycopg import sql

from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.events.recorded_event import RecordedEvent, UnreadableEvent
from ledger.projections.deals import Deal, newest_first
from ledger.reporting.provenance import proven_revokes
from ledger.session.session_state import SessionState, apply_event
from ledger.store.connection_pool import Connection
from ledger.store.projection_rows import COLUMNS, session_rows
from ledger.store.read_stream import read_stream

STORED = "SELECT * FROM projections.{} WHERE session_id = %(session_id)s"


class ImpossibleEvents(Exception):
    """The events cannot be folded; the other checks would have nothing to compare with."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.detail)
        self.finding = finding


def check_projections(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield findings about the projections and about the play. Raises ImpossibleEvents."""
    session, lines = SessionState(id=session_id), dict[tuple[int, int], Any]()
    recorded: RecordedEvent | None = None
    try:
        for recorded in read_stream(db, session_id, 0, stream.version):
            session, written = apply_event(session, recorded)
            lines.update(((line.version, line.line), line) for line in written)
    except psycopg.Error:
        raise
    except UnreadableEvent as unreadable:
        finding_about_event = Finding("event_impossible", str(unreadable), unreadable.version)
        raise ImpossibleEvents(finding_about_event) from unreadable
    except Exception as error:  # a forged event may break anything
        at = recorded.version if recorded else session.version + 1
        detail = f"It cannot have happened: {error}"
        raise ImpossibleEvents(Finding("event_impossible", detail, at)) from error
    if session.conflict_version != stream.conflict_version:
        yield Finding(
            "head_wrong", f"conflict_version is {stream.conflict_version}.", session.version
        )
    for table in COLUMNS:
        if table == "journal":
            expected = {(session_id, *msgspec.structs.astuple(line)) for line in lines.values()}
        else:
            expected = {_hashable(row) for _, row in session_rows(session, table)}
        query = sql.SQL(STORED).format(sql.Identifier(table))
        stored = {_hashable(row) for row in db.execute(query, {"session_id": session_id})}
        for row in sorted(expected ^ stored, key=repr):
            fault = "missing or changed" if row in expected else "not from any event"
            columns = dict(zip(COLUMNS[table][1:], row[1:], strict=True))
            detail = f"{table}: {fault}: {columns}"
            yield Finding("projection_differs", detail, session.version)
    for deal in newest_first(session.deals):
        yield from _check_play(session, deal)


def _check_play(session: SessionState, deal: Deal) -> Iterator[Finding]:
    """Yield the revokes that the recorded cards prove."""
    for version, revoke in proven_revokes(session, deal):
        legal_cards = ", ".join(revoke.legal)
        detail = (
            f"{revoke.player} played {revoke.card} to trick {revoke.trick}, holding {legal_cards}."
        )
        yield Finding(code="revoke", version=version, detail=detail, deal=deal.number, about="play")


def _hashable(row: Any) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)
