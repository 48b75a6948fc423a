"""Sessions written straight into a store, without HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
from msgspec.structs import asdict

from api.schemas.commands import load_commands
from engine.games.registry import GAMES
from ledger.events import hash_chain as chain
from ledger.events.recorded_event import RecordedEvent
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState
from ledger.store.append_request import (
    AppendRequest,
    AppendResult,
    Decision,
    PlayerName,
    StoredReply,
    build_changes,
)
from ledger.store.append_sql import lock_stream, write_changes
from ledger.store.connection_pool import pipelined_transaction
from ledger.store.event_store import EventStore
from tests.support.ledger.memory_store import Book
from tests.support.player_names import FIVE_NAMES
from tests.support.worked_evenings import E1, lines

numbers = count(1)
OF_SESSION = " WHERE session_id = %(session_id)s"


def make_request(
    key: str | None = None,
    expected: Any = "any",
    by: str = "host.0",
    access_version: int | None = 0,
) -> AppendRequest:
    return AppendRequest(
        key=key or f"key-{next(numbers)}",
        digest=b"asked",
        by=by,
        access_version=access_version,
        expected_version=expected,
        with_names=True,
    )


def open_session(
    store: EventStore, players: int = 4, game: str = "polskt_pass", **options: Any
) -> UUID:
    ids = tuple(f"p{place}" for place in range(1, players + 1))
    names = [
        PlayerName(player=p, name=n, salt=b"salt") for p, n in zip(ids, FIVE_NAMES, strict=False)
    ]
    opened = handling.open_session(
        GAMES[game],
        msgspec.convert(options, GAMES[game].options_type),
        currency="SEK",
        players=ids,
        names=tuple(chain.commit_to_name(n.salt, n.name) for n in names),
        first_dealer="p1",
    )
    decision = Decision(events=(opened,), names=tuple(names))
    return store.create(make_request(), uuid4(), "Fredag", decision).session_id


def act(
    store: EventStore, session_id: UUID, actions: list[dict[str, Any]], **request_fields: Any
) -> StoredReply:
    return append_actions(store, session_id, actions, **request_fields).reply


def append_actions(
    store: EventStore, session_id: UUID, actions: list[dict[str, Any]], **request_fields: Any
) -> AppendResult:
    commands = load_commands(actions)
    return store.append(
        session_id,
        make_request(**request_fields),
        lambda session: Decision(events=handling.record_actions(session, commands)),
    )


def settle_payment(store: EventStore, session_id: UUID, payment_id: str) -> bool:
    """Settle one payment of several, as a worker of version 0.1 did. Return whether it was due."""
    with pipelined_transaction(store.pool) as db:
        stream = lock_stream(db, session_id)
        before = store.load(session_id)
        payment = before.payments[payment_id]
        if payment.status != "due":
            return False
        decision = Decision(events=(payment.settlement,))
        write_changes(db, build_changes(before, decision, stream.now, request=None))
    return True


def play_e1(store: EventStore, deals: int = 7) -> UUID:
    """Write the first `deals` deals of E1 with la vola settled; return the session id."""
    session_id = open_session(store)
    for line in list(lines(E1))[:deals]:
        act(store, session_id, line.actions())
        store.settle(session_id)
    return session_id


def open_with_payments_due(store: EventStore) -> UUID:
    """Write E1 up to the la vola of deal 5, and leave its three payments due; return the id."""
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    return session_id


def append_history(
    store: EventStore, book: Book, batch_size: int = 50
) -> tuple[SessionState, Sequence[RecordedEvent]]:
    """Append the events of a book to the store; return the session and its history."""
    session_id = uuid4()

    opened, *rest = [recorded.event for recorded in book.history]
    store.create(make_request(), session_id, None, Decision(events=(opened,)))
    for start in range(0, len(rest), batch_size):
        decision = Decision(events=tuple(rest[start : start + batch_size]))
        store.append(session_id, make_request(), lambda _, decision=decision: decision)
    session = store.load(session_id)
    return session, store.load_events(session_id, 0, session.version)


def append_unknown_event(urls: Any, session_id: UUID) -> None:
    """Append an event of a type that this version does not know."""
    key = {"session_id": session_id}
    with psycopg.connect(urls.app) as db:
        row = db.execute("SELECT version, at, hash FROM vola.heads" + OF_SESSION, key).fetchone()
        assert row is not None
        version, at, before = row
        event = chain.HashedFields(version + 1, "hat_passed", 1, at, "host.0", "{}")
        hash_ = chain.hash_event(session_id, event, before)
        db.execute(
            "INSERT INTO vola.events VALUES (%(session_id)s, %(version)s, %(type)s, %(schema)s,"
            " %(at)s, %(by)s, %(data)s, %(seal)s)",
            {**key, **asdict(event), "seal": hash_},
        )
        db.execute(
            "UPDATE vola.heads SET version = version + 1, conflict_version = version + 1,"
            " hash = %(seal)s" + OF_SESSION,
            {**key, "seal": hash_},
        )
