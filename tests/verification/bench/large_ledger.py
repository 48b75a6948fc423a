"""A book with very many events, made quickly: evenings of forty deals, written as they would have
been, events sealed and projections folded, but past the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.events.recorded_event import record_events
from ledger.store import projection_rows as projector
from tests.support.databases import DatabaseUrls
from tests.support.ledger.memory_store import Book
from tests.verification.bench import deal_workload

DEALS = 40
NO_TRIGGERS = "SET session_replication_role = replica"
"""They would refuse nothing here, and look at every evening once more."""
EVENTS = "COPY vola.events FROM STDIN"
COPY = "COPY {} FROM STDIN"
VACUUM = "VACUUM (ANALYZE)"


def evening_ids(events: int) -> list[UUID]:
    """Of so many events together, at least."""
    length = len(deal_workload.facts(DEALS))
    die = Random(1)
    return [UUID(int=die.getrandbits(128), version=4) for _ in range(-(-events // length))]


def fill(urls: DatabaseUrls, ids: list[UUID], evening_of: int = DEALS) -> int:
    """Write the same evening of so many deals under each id; how many events that makes."""
    book = deal_workload.evening(evening_of)
    with psycopg.connect(urls.super) as db:
        db.execute(NO_TRIGGERS)
        with db.cursor().copy(EVENTS) as copy:
            heads = list(_events(ids, book, copy))
        _copy_rows(db, "vola.sessions", ((session_id, None, [0, 0, 0]) for session_id in ids))
        _copy_rows(db, "vola.heads", heads)
        _copy_rows(db, "vola.players", _players(ids))
        _copy_rows(
            db, "vola.creation_keys", ((f"{session_id} 0", session_id) for session_id in ids)
        )
        _copy_rows(db, "vola.stored_replies", _replies(ids, evening_of))
        for table in projector.COLUMNS:
            rows = list(_rows(book, table))
            _copy_rows(
                db,
                f"projections.{table}",
                ((session_id, *row[1:]) for session_id in ids for row in rows),
            )
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(VACUUM)
        db.execute("CHECKPOINT")
    return len(ids) * len(book.history)


def _events(ids: list[UUID], book: Book, copy: Any) -> Iterator[tuple[Any, ...]]:
    """Writes the events; the heads they lead to."""
    facts = tuple(recorded.event for recorded in book.history)
    for session_id in ids:
        at = book.session.at
        sealed = record_events(
            session_id, facts, version=0, previous_hash=bytes(32), at=at, by="host.0"
        )
        copy.write(
            "".join(
                f"{session_id}\t{e.version}\t{e.type}\t{e.schema}\t{e.at}\t{e.by}\t{e.data}\t"
                f"\\\\x{e.hash.hex()}\n"
                for e in sealed
            )
        )
        yield session_id, sealed[-1].version, sealed[-1].version, at, sealed[-1].hash


def _rows(book: Book, table: str) -> Iterable[tuple[Any, ...]]:
    if table == "journal":
        return (projector.journal_row(book.session, line) for line in book.lines.values())
    return (row for _, row in projector.session_rows(book.session, table))


def _players(ids: list[UUID]) -> Iterator[tuple[Any, ...]]:
    for session_id in ids:
        for place, name in enumerate(deal_workload.NAMES, 1):
            yield session_id, f"p{place}", name, name.lower(), bytes(16)


def _replies(ids: list[UUID], evening_of: int) -> Iterator[tuple[Any, ...]]:
    """One a deal, and that of the opening."""
    for session_id in ids:
        yield session_id, f"{session_id} 0", b"asked", 201, 1, None, 1
        earlier = 1
        for number, version in zip(range(evening_of), count(8, 8), strict=False):
            yield session_id, f"deal {number}", b"asked", 201, version, None, version - earlier
            earlier = version


def _copy_rows(db: psycopg.Connection[Any], table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    statement = sql.SQL(COPY).format(sql.Identifier(*table.split(".")))
    with db.cursor().copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
