"""Coming in without a link: a short code finds the evening, a knock asks, and the host answers.

The code lets nobody in; it only says at which door to knock.
"""

import secrets
from typing import Any
from uuid import UUID

import msgspec

from ledger import phones
from ledger.database import Connection, Pool

OPEN = """
INSERT INTO vola.codes (code, session_id, until)
VALUES (%(code)s, %(session_id)s, clock_timestamp() + %(seconds)s * interval '1 second')
ON CONFLICT DO NOTHING
RETURNING (extract(epoch FROM until) * 1000000)::bigint
"""
SHUT = "DELETE FROM vola.codes WHERE session_id = %(session_id)s"
FADED = "DELETE FROM vola.codes WHERE code = %(code)s AND until < clock_timestamp()"
FOUND = "SELECT session_id FROM vola.codes WHERE code = %(code)s AND until > clock_timestamp()"
CODE = """
SELECT code, (extract(epoch FROM until) * 1000000)::bigint FROM vola.codes
 WHERE session_id = %(session_id)s AND until > clock_timestamp()
"""
KNOCKS = """
SELECT knock, label, role, made_at, phone, refused, withdrawn FROM vola.knocks
 WHERE session_id = %(session_id)s ORDER BY knock
"""
KNOCK = """
SELECT knock, label, role, made_at, phone, refused, withdrawn FROM vola.knocks
 WHERE session_id = %(session_id)s AND knock = %(knock)s
"""
NEXT = """
SELECT coalesce(max(knock), 0) + 1, count(*) FILTER (WHERE phone IS NULL AND NOT refused)
  FROM vola.knocks WHERE session_id = %(session_id)s
"""
AT_THE_DOOR = """
INSERT INTO vola.knocks (session_id, knock, label, role, made_at)
VALUES (%(session_id)s, %(knock)s, %(label)s, %(role)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
RETURNING made_at
"""
ANSWERED = """
UPDATE vola.knocks SET phone = %(phone)s, refused = %(refused)s, label = NULL
 WHERE session_id = %(session_id)s AND knock = %(knock)s
"""
WITHDRAWN = """
UPDATE vola.knocks SET withdrawn = true, refused = true, label = NULL
 WHERE session_id = %(session_id)s AND knock = %(knock)s
"""

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without what is taken for something else: 0, 1, I, O."""
LENGTH = 6
OPEN_SECONDS = 2 * 3600
MOST_WAITING = 20
MOST_EVER = 9999


class UnknownCode(Exception):
    """No evening has this code now."""


class UnknownKnock(Exception):
    """Nobody has knocked under this number."""


class TooManyKnocks(Exception):
    """So many are at the door that nobody could tell them apart."""


class AlreadyAnswered(Exception):
    """This knock has been answered otherwise."""


class Withdrawn(Exception):
    """Whoever knocked has taken it back."""


class Code(msgspec.Struct, frozen=True):
    """`until`: microseconds since 1970, UTC."""

    code: str
    until: int


class Knock(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody at the door."""

    number: int
    label: str | None
    role: str
    made_at: int
    phone: int | None = None
    refused: bool = False
    withdrawn: bool = False

    @property
    def status(self) -> str:
        if self.withdrawn:
            return "withdrawn"
        return "refused" if self.refused else "waiting" if self.phone is None else "let_in"


def open_door(db: Connection, session_id: UUID) -> Code:
    """A new code in the place of the one before, good for two hours."""
    shut_door(db, session_id)
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        db.execute(FADED, {"code": code})
        new = {"code": code, "session_id": session_id, "seconds": OPEN_SECONDS}
        row = db.execute(OPEN, new).fetchone()
        if row is not None:
            return Code(code, row[0])


def shut_door(db: Connection, session_id: UUID) -> None:
    db.execute(SHUT, {"session_id": session_id})


def code(pool: Pool, session_id: UUID) -> Code | None:
    """The evening's code, if its door is open."""
    with pool.connection() as db:
        row = db.execute(CODE, {"session_id": session_id}).fetchone()
    return None if row is None else Code(*row)


def find(pool: Pool, code: str) -> UUID:
    """Which evening this code is of, however it is typed. UnknownCode."""
    typed = "".join(sign for sign in code.upper() if sign.isalnum())
    with pool.connection() as db:
        row = db.execute(FOUND, {"code": typed}).fetchone()
    if row is None:
        raise UnknownCode
    found: UUID = row[0]
    return found


def knock(db: Connection, session_id: UUID, label: str, role: str) -> Knock:
    """Ask to be let in, in the caller's transaction, which holds the evening. TooManyKnocks."""
    ask = {"session_id": session_id}
    number, waiting = db.execute(NEXT, ask).fetchone() or (1, 0)
    if waiting >= MOST_WAITING or number > MOST_EVER:
        raise TooManyKnocks
    row = db.execute(AT_THE_DOOR, {**ask, "knock": number, "label": label, "role": role}).fetchone()
    assert row is not None
    return Knock(number=number, label=label, role=role, made_at=row[0])


def knocks(pool: Pool, session_id: UUID) -> list[Knock]:
    """Everyone that has ever knocked, the first one first."""
    with pool.connection() as db:
        return [_knock(row) for row in db.execute(KNOCKS, {"session_id": session_id})]


def at_the_door(pool: Pool, session_id: UUID, number: int) -> Knock:
    """One of them. UnknownKnock."""
    with pool.connection() as db:
        return _one(db, session_id, number)


def let_in(db: Connection, session_id: UUID, number: int, role: str | None) -> phones.Phone:
    """The host says yes: as what was asked for, or as `role`.

    UnknownKnock, Withdrawn, AlreadyAnswered, phones.TooManyPhones.
    """
    who = _there(db, session_id, number)
    if who.status != "waiting":
        raise AlreadyAnswered
    made = phones.let_in(db, session_id, role or who.role, who.label, None)
    answer = {"session_id": session_id, "knock": number, "phone": made.number, "refused": False}
    db.execute(ANSWERED, answer)
    return made


def refuse(db: Connection, session_id: UUID, number: int) -> None:
    """The host says no; a second time changes nothing. UnknownKnock, Withdrawn, AlreadyAnswered."""
    if _there(db, session_id, number).status == "let_in":
        raise AlreadyAnswered
    answer = {"session_id": session_id, "knock": number, "phone": None, "refused": True}
    db.execute(ANSWERED, answer)


def withdraw(db: Connection, session_id: UUID, number: int) -> None:
    """Who knocked waits no more; a second time changes nothing. UnknownKnock, AlreadyAnswered."""
    who = _one(db, session_id, number)
    if who.status in ("let_in", "refused"):
        raise AlreadyAnswered
    db.execute(WITHDRAWN, {"session_id": session_id, "knock": number})


def _there(db: Connection, session_id: UUID, number: int) -> Knock:
    """One who has not gone again. UnknownKnock, Withdrawn."""
    who = _one(db, session_id, number)
    if who.withdrawn:
        raise Withdrawn
    return who


def _one(db: Connection, session_id: UUID, number: int) -> Knock:
    row = db.execute(KNOCK, {"session_id": session_id, "knock": number}).fetchone()
    if row is None:
        raise UnknownKnock
    return _knock(row)


def _knock(row: tuple[Any, ...]) -> Knock:
    number, label, role, made_at, phone, refused, withdrawn = row
    return Knock(
        number=number,
        label=label,
        role=role,
        made_at=made_at,
        phone=phone,
        refused=refused,
        withdrawn=withdrawn,
    )
