"""An evening written straight into a store, without HTTP."""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg

from api import shapes
from engine.games import GAMES
from ledger import chain, handling
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Name, Reply, Request, Work
from tests.evenings import E1, lines

numbers = count(1)
OF = " WHERE session_id = %(session_id)s"
NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil")


def request(key: str | None = None, expected: Any = "any", by: str = "host.0") -> Request:
    return Request(key=key or f"key-{next(numbers)}", digest=b"asked", by=by, expected=expected)


def open_session(store: Store, players: int = 4, game: str = "polskt_pass", **options: Any) -> UUID:
    ids = tuple(f"p{place}" for place in range(1, players + 1))
    names = [Name(player=p, name=n, salt=b"salt") for p, n in zip(ids, NAMES, strict=False)]
    opened = handling.opening(
        GAMES[game],
        msgspec.convert(options, GAMES[game].options),
        currency="SEK",
        players=ids,
        names=tuple(chain.commitment(n.salt, n.name) for n in names),
        first_dealer="p1",
    )
    work = Work(events=(opened,), names=tuple(names))
    return store.create(request(), uuid4(), "Fredag", work, nothing).session_id


def nothing(session: Session, _: Any) -> bytes:
    return str(session.version).encode()


def act(store: Store, session_id: UUID, actions: list[dict[str, Any]], **asked: Any) -> Reply:
    commands = shapes.commands(actions)
    return store.write(
        session_id,
        request(**asked),
        lambda session: Work(events=handling.actions(session, commands)),
        nothing,
    )


def play_e1(store: Store, deals: int = 7) -> UUID:
    """E1, its la vola settled."""
    session_id = open_session(store)
    for line in list(lines(E1))[:deals]:
        act(store, session_id, line.actions())
        for payment in store.read(session_id).payments:
            store.settle(session_id, payment)
    return session_id


def told_by_a_newer_one(urls: Any, session_id: UUID) -> None:
    """The evening goes on with an event for which this version has no word."""
    ask = {"session_id": session_id}
    with psycopg.connect(urls.app) as db:
        row = db.execute("SELECT version, at, hash FROM vola.heads" + OF, ask).fetchone()
        assert row is not None
        version, at, before = row
        event = {
            "version": version + 1,
            "kind": "hat_passed",
            "schema": 1,
            "at": at,
            "by": "host.0",
        }
        seal = chain.seal(session_id=session_id, data="{}", before=before, **event)
        db.execute(
            "INSERT INTO vola.events VALUES (%(session_id)s, %(version)s, %(kind)s, %(schema)s,"
            " %(at)s, %(by)s, '{}', %(seal)s)",
            {**ask, **event, "seal": seal},
        )
        db.execute(
            "UPDATE vola.heads SET version = version + 1, acted = version + 1, hash = %(seal)s"
            + OF,
            {**ask, "seal": seal},
        )
