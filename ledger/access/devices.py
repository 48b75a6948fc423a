"""The phones that have been let in to an evening: each with a role, a label and perhaps a player.

What a phone may is looked up whenever it asks, so that one that is shut out is out at once. Does
not know tokens: they are made from the phone's number (api/access.py).
"""

from typing import Any
from uuid import UUID

import msgspec

from engine.values import Player
from ledger.database import Connection, Pool

PHONES = """
SELECT phone, role, label, player_id, made_at, ended_at FROM vola.phones
 WHERE session_id = %(session_id)s ORDER BY phone
"""
NEXT = """
SELECT coalesce(max(phone), 0) + 1, count(*) FILTER (WHERE ended_at IS NULL)
  FROM vola.phones WHERE session_id = %(session_id)s
"""
LET_IN = """
INSERT INTO vola.phones (session_id, phone, role, label, player_id, made_at)
VALUES (%(session_id)s, %(phone)s, %(role)s, %(label)s, %(player)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
RETURNING made_at
"""
SHUT_OUT = """
UPDATE vola.phones
   SET ended_at = coalesce(ended_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
 WHERE session_id = %(session_id)s AND phone = %(phone)s
RETURNING phone, role, label, player_id, made_at, ended_at
"""
ROTATE = """
UPDATE vola.sessions SET tokens[%(place)s] = tokens[%(place)s] + 1
 WHERE session_id = %(session_id)s RETURNING tokens
"""

MOST_PHONES = 100
"""Let in at the same time: far more than sit at a table, few enough to look through."""
MOST_EVER = 9999


class TooManyPhones(Exception):
    """No more phones can be let in."""


class UnknownPhone(Exception):
    """No such phone has been let in."""


class Phone(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's phone. Times in microseconds since 1970, UTC."""

    number: int
    role: str
    label: str | None
    player: Player | None
    made_at: int
    ended_at: int | None = None

    @property
    def id(self) -> str:
        return f"phone{self.number}"


def phones(pool: Pool, session_id: UUID) -> list[Phone]:
    """Everyone that was ever let in, the oldest first."""
    with pool.connection() as db:
        return [_phone(row) for row in db.execute(PHONES, {"session_id": session_id})]


def let_in(
    db: Connection, session_id: UUID, role: str, label: str | None, player: Player | None
) -> Phone:
    """One more, in the caller's transaction, which holds the evening. TooManyPhones."""
    ask = {"session_id": session_id}
    number, now_in = db.execute(NEXT, ask).fetchone() or (1, 0)
    if now_in >= MOST_PHONES or number > MOST_EVER:
        raise TooManyPhones
    new = {"phone": number, "role": role, "label": label, "player": player}
    row = db.execute(LET_IN, {**ask, **new}).fetchone()
    assert row is not None
    return Phone(number=number, role=role, label=label, player=player, made_at=row[0])


def shut_out(db: Connection, session_id: UUID, number: int) -> Phone:
    """From now on it may nothing; a second time changes nothing. UnknownPhone."""
    row = db.execute(SHUT_OUT, {"session_id": session_id, "phone": number}).fetchone()
    if row is None:
        raise UnknownPhone
    return _phone(row)


def rotate(db: Connection, session_id: UUID, place: int) -> tuple[int, int, int]:
    """The next generation of the link at this place of host, scorer, viewer; all three."""
    row = db.execute(ROTATE, {"session_id": session_id, "place": place + 1}).fetchone()
    assert row is not None, "who asks has been let in"
    host, scorer, viewer = row[0]
    return host, scorer, viewer


def _phone(row: tuple[Any, ...]) -> Phone:
    number, role, label, player, made_at, ended_at = row
    return Phone(
        number=number, role=role, label=label, player=player, made_at=made_at, ended_at=ended_at
    )
