"""The devices that have access to a session, each with a role, a label and perhaps a player.

The role is looked up for every request, so revoking a device takes effect at once. Does not know
tokens, which are derived from the device's number (api/auth/tokens.py).
"""

from uuid import UUID

import msgspec
from psycopg.rows import class_row

from engine.errors import RuleViolation
from engine.values import Player
from ledger.store.connection_pool import Connection, Pool

DEVICES = """
SELECT device_number AS number, role, label, player_id AS player, made_at AS created_at, ended_at
  FROM vola.devices WHERE session_id = %(session_id)s ORDER BY device_number
"""
NEXT_NUMBER = """
SELECT coalesce(max(device_number), 0) + 1, count(*) FILTER (WHERE ended_at IS NULL)
  FROM vola.devices WHERE session_id = %(session_id)s
"""
ADD_DEVICE = """
INSERT INTO vola.devices (session_id, device_number, role, label, player_id, made_at)
VALUES (%(session_id)s, %(number)s, %(role)s, %(label)s, %(player)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
RETURNING device_number AS number, role, label, player_id AS player, made_at AS created_at, ended_at
"""
REVOKE_DEVICE = """
UPDATE vola.devices
   SET ended_at = coalesce(ended_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
 WHERE session_id = %(session_id)s AND device_number = %(number)s
"""

MAX_ACTIVE_DEVICES = 100
"""Devices with access at the same time: far more than a table has, and few enough to list."""
MAX_DEVICE_NUMBER = 9999


class TooManyDevices(Exception):
    """The session has its maximum of devices."""


class NoNumberLeft(RuleViolation):
    """The session has used all numbers of devices, or of join requests."""


class UnknownDevice(Exception):
    """The session has no such device."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A device and its access. Times in microseconds since 1970, UTC."""

    number: int
    role: str
    label: str | None
    player: Player | None
    created_at: int
    ended_at: int | None = None

    @property
    def id(self) -> str:
        return f"phone{self.number}"


def list_devices(pool: Pool, session_id: UUID) -> list[Device]:
    """Return every device that ever had access, the oldest first."""
    with pool.connection() as db, db.cursor(row_factory=class_row(Device)) as cursor:
        return cursor.execute(DEVICES, {"session_id": session_id}).fetchall()


def add_device(
    db: Connection, session_id: UUID, role: str, label: str | None, player: Player | None
) -> Device:
    """Add a device, in a transaction that has locked the session. Raise TooManyDevices,
    NoNumberLeft."""
    ((number, active_count),) = db.execute(NEXT_NUMBER, {"session_id": session_id})
    if number > MAX_DEVICE_NUMBER:
        raise NoNumberLeft
    if active_count >= MAX_ACTIVE_DEVICES:
        raise TooManyDevices
    new_device = {"number": number, "role": role, "label": label, "player": player}
    with db.cursor(row_factory=class_row(Device)) as cursor:
        (device,) = cursor.execute(ADD_DEVICE, {"session_id": session_id, **new_device})
    return device


def revoke_device(db: Connection, session_id: UUID, number: int) -> None:
    """End the access of a device; a second time changes nothing. Raise UnknownDevice."""
    if not db.execute(REVOKE_DEVICE, {"session_id": session_id, "number": number}).rowcount:
        raise UnknownDevice
