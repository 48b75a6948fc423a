"""A book with very many events, made quickly: evenings of forty deals, written without the store.

The rows are those that the store would have written, with hashes and projections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from ledger.events.recorded_event import record_events
from ledger.store.projection_rows import STATE_FIELDS, folded_rows
from tests.support.databases import DatabaseUrls
from tests.support.ledger.memory_store import Book
from tests.support.player_names import FOUR_NAMES
from tests.verification.bench import deal_workload

DEALS = 40
NO_TRIGGERS = "SET session_replication_role = replica"
"""The triggers would refuse nothing here, but would check every evening again."""
EVENTS = "COPY vola.events FROM STDIN"
COPY = "COPY {} FROM STDIN"
HEADS = "vola.heads (session_id, version, conflict_version, at, hash)"
RELATIONS: dict[str, LiteralString] = {
    "payments": "projections.payments",
    "journal": "projections.journal",
}
FILL_STATE = """
UPDATE vola.heads h SET (pot, balances, bets, scores) = (
       SELECT s.pot, s.balances, s.bets, s.scores FROM jsonb_populate_record(h, %(state)s) AS s)
"""
VACUUM = "VACUUM (ANALYZE)"


def make_session_ids(events: int) -> list[UUID]:
    """Return the ids of evenings that together have at least `events` events."""
    length = len(deal_workload.deal_events(DEALS))
    die = Random(1)
    return [UUID(int=die.getrandbits(128), version=4) for _ in range(-(-events // length))]


def fill_ledger(urls: DatabaseUrls, ids: list[UUID], evening_of: int = DEALS) -> int:
    """Write the same evening of `evening_of` deals under each id. Return the number of events."""
    book = deal_workload.play_deals(evening_of)
    with psycopg.connect(urls.super) as db:
        db.execute(NO_TRIGGERS)
        with db.cursor().copy(EVENTS) as copy:
            heads = list(_events(ids, book, copy))
        _copy_rows(db, "vola.sessions", ((session_id, None, [0, 0, 0]) for session_id in ids))
        _copy_rows(db, HEADS, heads)
        _copy_rows(db, "vola.players", _players(ids))
        _copy_rows(
            db, "vola.creation_keys", ((f"{session_id} 0", session_id) for session_id in ids)
        )
        _copy_rows(db, "vola.stored_replies", _replies(ids, evening_of))
        folded = folded_rows(book.session, book.lines.values())
        for table, relation in RELATIONS.items():
            rows = folded.tables[table]
            _copy_rows(db, relation, ((session_id, *row) for session_id in ids for row in rows))
        state = {column: folded.head[column] for column in STATE_FIELDS}
        db.execute(FILL_STATE, {"state": Jsonb(state)})
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(VACUUM)
        db.execute("CHECKPOINT")
    return len(ids) * len(book.history)


def _events(ids: list[UUID], book: Book, copy: Any) -> Iterator[tuple[Any, ...]]:
    """Write the events, and yield the heads that they lead to."""
    facts = tuple(recorded.event for recorded in book.history)
    for session_id in ids:
        at = book.session.at
        recorded_events = record_events(
            session_id, facts, version=0, previous_hash=bytes(32), at=at, by="host.0"
        )
        copy.write(
            "".join(
                f"{session_id}\t{e.version}\t{e.type}\t{e.schema}\t{e.at}\t{e.by}\t{e.data}\t"
                f"\\\\x{e.hash.hex()}\n"
                for e in recorded_events
            )
        )
        last_event = recorded_events[-1]
        yield session_id, last_event.version, last_event.version, at, last_event.hash


def _players(ids: list[UUID]) -> Iterator[tuple[Any, ...]]:
    for session_id in ids:
        for place, name in enumerate(FOUR_NAMES, 1):
            yield session_id, f"p{place}", name, name.lower(), bytes(16)


def _replies(ids: list[UUID], evening_of: int) -> Iterator[tuple[Any, ...]]:
    """Yield the stored replies: one for the opening, and one for each deal."""
    for session_id in ids:
        yield session_id, f"{session_id} 0", b"asked", 201, 1, None, 1
        earlier = 1
        for number, version in zip(range(evening_of), count(8, 8), strict=False):
            yield session_id, f"deal {number}", b"asked", 201, version, None, version - earlier
            earlier = version


def _copy_rows(
    db: psycopg.Connection[Any], table: LiteralString, rows: Iterable[tuple[Any, ...]]
) -> None:
    statement = sql.SQL(COPY).format(sql.SQL(table))
    with db.cursor().copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
