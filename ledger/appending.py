"""How an append is told to PostgreSQL: one question takes the evening, another puts what happened.

Both are functions of the database (migration 0008), so that an append waits for it twice and no
more; and once (0010), where the evening still stands as whoever appends remembers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from engine.values import Player
from ledger import projector
from ledger.database import Connection, Cursor
from ledger.envelope import Recorded
from ledger.names import sounds
from ledger.projections.journal import Line
from ledger.projections.payments import outstanding
from ledger.session import Session
from ledger.writing import Name, Reply, Request, repeated

TAKE = "SELECT * FROM vola.take(%(session_id)s, %(by)s, %(key)s, %(with_names)s)"
PUT = "SELECT vola.put(%(session_id)s, %(told)s, %(answer)s)"
APPEND = """
SELECT vola.append(%(session_id)s, %(by)s, %(version)s, %(hash)s, %(names)s, %(told)s, %(answer)s)
"""

encode = msgspec.json.Encoder().encode


class Taken(NamedTuple):
    """An evening that is locked until this transaction ends, and what was asked about it."""

    version: int
    hash: bytes
    now: int  # microseconds, UTC: once it was locked
    let_in: bool  # whether who asks may still write
    request: bytes | None  # the digest of what this key was given for
    status: int | None  # … and its answer
    answered: int | None
    body: bytes | None
    names: dict[Player, str | None] | None


def take(
    db: Connection,
    session_id: UUID,
    *,
    by: str = "",
    key: str | None = None,
    with_names: bool = False,
) -> Cursor:
    """Lock the evening. The answer is read by `taken`: a pipeline may wait until then."""
    ask = {"session_id": session_id, "by": by, "key": key, "with_names": with_names}
    return db.execute(TAKE, ask)


def taken(cursor: Cursor) -> Taken | None:
    """None when there is no such evening."""
    row = cursor.fetchone()
    assert row is not None, "a function answers"
    return None if row[0] is None else Taken(*row)


def given(it: Taken, request: Request, session_id: UUID) -> Reply | None:
    """What this key was answered, if it was. KeyReused."""
    if it.request is None:
        return None
    assert it.status is not None, "an answer is kept whole"
    assert it.answered is not None, "an answer is kept whole"
    assert it.body is not None, "an answer is kept whole"
    return repeated(request, session_id, it.request, it.status, it.answered, it.body)


class Change(NamedTuple):
    """What an append brings about: the evening before and after it, and all that is written."""

    before: Session
    after: Session
    recorded: tuple[Recorded, ...]
    lines: Iterable[Line]
    names: Sequence[Name] = ()
    remarks: Sequence[tuple[int, str]] = ()
    kept: tuple[Request, Reply] | None = None


def put(db: Connection, change: Change) -> None:
    """Write events, head, projections, names, remarks and the answer to keep, in the caller's
    transaction."""
    db.execute(PUT, _told(change))


def append(
    db: Connection, change: Change, by: str, names: dict[Player, str | None] | None
) -> int | None:
    """Take and put in one question, if the evening stands as it did before the change, everybody is
    called as `names` says (None: they do not matter), the key is new, and who asks may still write.
    The book's clock; None when something was otherwise, and nothing was written."""
    believed = {
        "by": by,
        "version": change.before.version,
        "hash": change.before.hash,
        "names": None if names is None else encode(names).decode(),
    }
    row = db.execute(APPEND, _told(change) | believed).fetchone()
    assert row is not None, "a function answers"
    return None if row[0] is None else int(row[0])


def _told(change: Change) -> dict[str, Any]:
    """What `vola.put` is told: the evening, one document, and the answer's bytes."""
    before, after, recorded, lines, names, remarks, kept = change
    told: dict[str, Any] = {
        "events": [_event(one) for one in recorded],
        "head": {
            "version": after.version,
            "acted": after.acted,
            "at": after.at,
            "hash": _hex(after.hash),
        },
        **projector.changes(before, after, lines),
    }
    if not before.version:
        told["begun"] = True
    if names:
        told["names"] = [_name(one) for one in names]
    if said := [{"version": version, "remark": remark} for version, remark in remarks]:
        told["remarks"] = said
    if after.payments is not before.payments and outstanding(after.payments):
        told["due"] = True
    answer = None
    if kept is not None:
        request, reply = kept
        digest = _hex(request.digest)
        told["kept"] = {"key": request.key, "request": digest, "status": reply.status}
        answer = reply.body
    return {"session_id": after.id, "told": encode(told).decode(), "answer": answer}


def _event(one: Recorded) -> dict[str, Any]:
    return {
        "version": one.version,
        "type": one.type,
        "schema": one.schema,
        "at": one.at,
        "by": one.by,
        "data": one.data,
        "hash": _hex(one.hash),
    }


def _name(one: Name) -> dict[str, Any]:
    return {
        "player_id": one.player,
        "name": one.name,
        "sounds": None if one.name is None else sounds(one.name),
        "salt": None if one.salt is None else _hex(one.salt),
    }


def _hex(content: bytes) -> str:
    """As PostgreSQL writes bytes into text."""
    return "\\x" + content.hex()
