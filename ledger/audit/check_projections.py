"""Check that the events can be folded, and that the projections are what the fold gives."""

from collections.abc import Iterator
from uuid import UUID

import psycopg

from ledger.audit.check_hash_chain import OutOfTime, StoredStream
from ledger.audit.findings import Finding
from ledger.events.recorded_event import UnreadableEvent
from ledger.projections.deals import newest_first
from ledger.projections.journal import JournalLine
from ledger.reporting.provenance import proven_revokes
from ledger.session.session_state import SessionState, apply_event
from ledger.store.connection_pool import Connection
from ledger.store.projection_rows import STATE_FIELDS, TABLES, folded_rows, stored_rows
from ledger.store.read_stream import read_stream


class ImpossibleEvents(Exception):
    """The events cannot be folded, as the finding in `args` says; the other checks would have
    nothing to compare with."""


def check_projections(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield findings about the projections and about the play. Raise ImpossibleEvents,
    OutOfTime."""
    session = SessionState(id=session_id)
    lines: list[JournalLine] = []
    try:
        for recorded in read_stream(db, session_id, 0, stream.version):
            stream.check_time(recorded.version)
            session, written = apply_event(session, recorded)
            lines += written
        revokes = [
            (deal.number, version, revoke)
            for deal in newest_first(session.deals)
            for version, revoke in proven_revokes(session, deal)
        ]
    except (psycopg.Error, OutOfTime):
        raise
    except UnreadableEvent as unreadable:
        finding = Finding("event_impossible", str(unreadable), unreadable.version)
        raise ImpossibleEvents(finding) from unreadable
    except Exception as error:  # a forged event may break anything
        detail = f"It cannot have happened: {error}"
        version = min(session.version + 1, stream.version)
        finding = Finding("event_impossible", detail, version)
        raise ImpossibleEvents(finding) from error
    expected, (stored,) = folded_rows(session, lines), stored_rows(db, [session_id])
    for column, value in expected.head.items():
        stored_value = stored.head and stored.head[column]
        if value != stored_value:
            code = "projection_differs" if column in STATE_FIELDS else "head_wrong"
            yield Finding(code, f"{column} is {stored_value} instead of {value}.", session.version)
    for table, columns in TABLES.items():
        rows, stored_table = expected.tables[table], stored.tables[table]
        for row in sorted(rows ^ stored_table, key=repr):
            fault = "missing or changed" if row in rows else "not from any event"
            detail = f"{table}: {fault}: {dict(zip(columns, row, strict=True))}"
            yield Finding("projection_differs", detail, session.version)
    for deal, version, revoke in revokes:
        card, trick, legal = revoke.card, revoke.trick, ", ".join(revoke.legal)
        detail = f"{revoke.player} played {card} to trick {trick}, holding {legal}."
        yield Finding("revoke", detail, version, deal, about="play")
