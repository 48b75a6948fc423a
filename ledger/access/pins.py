"""A player's PIN: who knows it may say that a phone is his.

Stored stretched and salted; a few misses, and nobody may try for a while. What was missed is kept
in the book, so that no restart gives more tries.
"""

import hashlib
import hmac
import os
from uuid import UUID

from engine.values import Player
from ledger.store.connection_pool import Connection, Pool

PIN = """
SELECT salt, digest, failed_attempts,
       ceil(extract(epoch FROM greatest(retry_at, clock_timestamp()) - clock_timestamp()))
  FROM vola.pins WHERE session_id = %(session_id)s AND player_id = %(player)s FOR UPDATE
"""
"""`retry_at` may be -infinity, and no time can be taken from that before PostgreSQL 17."""
PLAYERS_WITH_PINS = """
SELECT player_id FROM vola.pins WHERE session_id = %(session_id)s ORDER BY player_id
"""
RECORD_MISSES = """
UPDATE vola.pins
   SET failed_attempts = %(misses)s,
       retry_at = coalesce(clock_timestamp() + %(wait)s * interval '1 second', retry_at)
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""
SET_PIN = """
INSERT INTO vola.pins (session_id, player_id, salt, digest)
VALUES (%(session_id)s, %(player)s, %(salt)s, %(digest)s)
ON CONFLICT (session_id, player_id) DO UPDATE
   SET salt = excluded.salt, digest = excluded.digest, failed_attempts = 0, retry_at = '-infinity'
"""
REMOVE_PIN = """
DELETE FROM vola.pins WHERE session_id = %(session_id)s AND player_id = %(player)s
"""

TRIES = 5
WAIT_SECONDS = 15 * 60


class PinNeeded(Exception):
    """This player has a PIN."""


class WrongPin(Exception):
    """That is not it; so many tries are left."""

    def __init__(self, left: int) -> None:
        super().__init__(left)
        self.left = left


class PinLocked(Exception):
    """Too many have missed; nobody may try before so many seconds are over."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__(wait_seconds)
        self.wait_seconds = wait_seconds


def players_with_pins(pool: Pool, session_id: UUID) -> list[Player]:
    """Who has one."""
    with pool.connection() as db:
        return [player for (player,) in db.execute(PLAYERS_WITH_PINS, {"session_id": session_id})]


def check_pin(pool: Pool, session_id: UUID, player: Player, pin: str | None) -> None:
    """Whether this is the player's, or he has none. PinNeeded, WrongPin, PinLocked.

    In a transaction of its own: a miss counts although what it was tried for is refused.
    """
    ask = {"session_id": session_id, "player": player}
    with pool.connection() as db:
        row = db.execute(PIN, ask).fetchone()
        if row is None:
            return
        salt, digest, misses, wait = row
        if wait > WAIT_SECONDS:  # the clock has been put back since: it would be a year, perhaps
            db.execute(RECORD_MISSES, {**ask, "misses": misses, "wait": WAIT_SECONDS})
            db.commit()
            wait = WAIT_SECONDS
        if wait > 0:
            raise PinLocked(int(wait))
        if pin is None:
            raise PinNeeded
        if hmac.compare_digest(derive_pin_digest(pin, salt), digest):
            if misses:
                db.execute(RECORD_MISSES, {**ask, "misses": 0, "wait": None})
            return
        missed = (misses + 1) % TRIES
        wait = None if missed else WAIT_SECONDS
        db.execute(RECORD_MISSES, {**ask, "misses": missed, "wait": wait})
    if wait:
        raise PinLocked(wait)
    raise WrongPin(TRIES - missed)


def set_pin(db: Connection, session_id: UUID, player: Player, pin: str) -> None:
    """The player's PIN from now on, in the caller's transaction."""
    salt = os.urandom(16)
    new = {"salt": salt, "digest": derive_pin_digest(pin, salt)}
    db.execute(SET_PIN, {"session_id": session_id, "player": player, **new})


def remove_pin(db: Connection, session_id: UUID, player: Player) -> None:
    db.execute(REMOVE_PIN, {"session_id": session_id, "player": player})


def derive_pin_digest(pin: str, salt: bytes) -> bytes:
    """32 bytes that take 16 MB and some 50 ms to come to (scrypt, RFC 7914)."""
    return hashlib.scrypt(pin.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)
