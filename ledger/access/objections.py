"""Objections: the players who have said that the sums of a version are not right.

An objection is a note to the others and no part of history: it changes no sum, and no signed
document carries it. A player has one at most, and withdraws it by confirming the sums of that
version or a later one.
"""

from uuid import UUID

import msgspec
from psycopg.rows import class_row

from ledger.proofs.receipts import UnknownVersion
from ledger.store.connection_pool import Pool

OBJECTIONS = """
SELECT player_id AS player, version, made_at AS at FROM vola.objections
 WHERE session_id = %(session_id)s ORDER BY made_at, player_id
"""
UPSERT_OBJECTION = """
INSERT INTO vola.objections AS o (session_id, player_id, version, made_at)
SELECT session_id, %(player)s, %(version)s,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  FROM vola.heads WHERE session_id = %(session_id)s AND version >= %(version)s
ON CONFLICT (session_id, player_id) DO UPDATE
   SET version = greatest(o.version, excluded.version),
       made_at = CASE WHEN o.version < excluded.version THEN excluded.made_at ELSE o.made_at END
RETURNING player_id AS player, version, made_at AS at
"""
DELETE_OBJECTION = """
DELETE FROM vola.objections
 WHERE session_id = %(session_id)s AND player_id = %(player)s AND version <= %(version)s
"""


class Objection(msgspec.Struct, frozen=True, kw_only=True):
    """A player says that the sums of this version, or of an earlier one, are not right."""

    player: str
    version: int
    at: int  # microseconds since 1970, UTC


def list_objections(pool: Pool, session_id: UUID) -> list[Objection]:
    """Return the objections of a session, the earliest first."""
    with pool.connection() as db, db.cursor(row_factory=class_row(Objection)) as cursor:
        return cursor.execute(OBJECTIONS, {"session_id": session_id}).fetchall()


def object_to_sums(pool: Pool, session_id: UUID, player: str, version: int) -> Objection:
    """Note that a player objects to the sums of a version; the same again changes nothing.
    Raise UnknownVersion."""
    values = {"session_id": session_id, "player": player, "version": version}
    with pool.connection() as db, db.cursor(row_factory=class_row(Objection)) as cursor:
        objection = cursor.execute(UPSERT_OBJECTION, values).fetchone()
    if objection is None:
        raise UnknownVersion(version)
    return objection


def withdraw_objection(pool: Pool, session_id: UUID, player: str, version: int) -> None:
    """Remove what a player has objected to, if anything, up to the version that is confirmed."""
    values = {"session_id": session_id, "player": player, "version": version}
    with pool.connection() as db:
        db.execute(DELETE_OBJECTION, values)
