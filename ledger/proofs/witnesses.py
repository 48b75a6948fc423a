"""Witnesses: other books that follow a session and cosign its newest version.

A witness is bound to no player. It signs, as in C2SP tlog-cosignature, that the version continues
every version that it has seen before; it cannot know whether the sums are right. Its key
has a name of its own, which is a claim: only the key tells one witness from another. Of each
witness the newest cosigned version is stored.
"""

from base64 import b64encode
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta
from msgspec.structs import asdict
from psycopg.rows import class_row

from engine.errors import RuleViolation
from ledger.proofs.cosignature import verify_cosignature
from ledger.proofs.signing_key import Connection

WITNESS_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?"
"""Like a host name; without a slash, so that it is never the name of a player's phone."""
MAX_WITNESSES = 8
"""Of one session: few enough to be in every document, each with a proof."""
WITNESSES = """
SELECT name, key, version, signature FROM vola.witnesses
 WHERE session_id = %(session_id)s ORDER BY name, key
"""
LOCK_HEAD = "SELECT FROM vola.heads WHERE session_id = %(session_id)s FOR UPDATE"
STORE_WITNESS = """
INSERT INTO vola.witnesses (session_id, key, name, version, signature)
SELECT %(session_id)s, %(key)s, %(name)s, %(version)s, %(signature)s
 WHERE %(most)s > (SELECT count(*) FROM vola.witnesses
                    WHERE session_id = %(session_id)s AND key <> %(key)s)
ON CONFLICT (session_id, key) DO UPDATE
   SET name = excluded.name, version = excluded.version, signature = excluded.signature
 WHERE witnesses.version < excluded.version
"""


class TooManyWitnesses(RuleViolation):
    """The session has {most} witnesses, as many as it can have."""


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """Another book, and the newest version that it has cosigned."""

    name: Annotated[str, Meta(pattern=rf"^{WITNESS_NAME}\Z")]
    key: bytes
    version: int
    signature: bytes

    def json_fields(self) -> dict[str, Any]:
        """Return who has cosigned which version with what."""
        signature = b64encode(self.signature).decode()
        fields = {"name": self.name, "version": self.version, "key": self.key.hex()}
        return {**fields, "signature": signature}

    def verify(self, checkpoint_text: str) -> None:
        """Raise UnverifiedNote unless the cosignature is of this text."""
        verify_cosignature(self.name, self.key, self.signature, checkpoint_text)


def list_witnesses(db: Connection, session_id: UUID) -> list[Witness]:
    """Return the witnesses of a session, by name."""
    with db.cursor(row_factory=class_row(Witness)) as cursor:
        return cursor.execute(WITNESSES, {"session_id": session_id}).fetchall()


def lock_head(db: Connection, session_id: UUID) -> None:
    """Lock the session until the transaction ends, so that what is counted next stays so."""
    db.execute(LOCK_HEAD, {"session_id": session_id})


def store_witness(db: Connection, session_id: UUID, witness: Witness) -> None:
    """Store a verified witness. A version that is not newer than the stored one changes nothing.
    Locks the session until the transaction ends. Raise TooManyWitnesses."""
    lock_head(db, session_id)
    values = {"session_id": session_id, "most": MAX_WITNESSES, **asdict(witness)}
    db.execute(STORE_WITNESS, values)
    stored_keys = {stored.key for stored in list_witnesses(db, session_id)}
    if stored_keys.isdisjoint({witness.key}):
        raise TooManyWitnesses(most=MAX_WITNESSES)
