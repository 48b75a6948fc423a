"""An attacker with superuser rights, whom no trigger, grant or constraint stops.

The forger can hash, project and answer as the product does; only the receipts that people have
saved are out of reach.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.check_receipts import ReceiptClaim
from ledger.events import hash_chain as chain
from ledger.rebuild.rebuild import repair_session

DISABLE_GUARDS = (
    "SET LOCAL session_replication_role = replica",
    "ALTER TABLE vola.heads DROP CONSTRAINT IF EXISTS heads_zero_sum",
)
HISTORY = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %s ORDER BY version
"""
DELETE_EVENTS = "DELETE FROM vola.events WHERE session_id = %s"
INSERT_EVENT = """
INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""
HEAD = """
UPDATE vola.heads SET version = %s, conflict_version = %s, at = %s, hash = %s WHERE session_id = %s
"""
DELETE_REPLIES = "DELETE FROM vola.stored_replies WHERE session_id = %s AND version > %s"


class NotApplicable(Exception):
    """The session has nothing that this kind of corruption could change."""


@dataclass
class Event:
    version: int
    type: str
    schema: int
    at: int
    by: str
    data: str
    hash: bytes


@dataclass
class Forger:
    """An attack on one session, inside a transaction that will be rolled back."""

    db: psycopg.Connection[Any]
    id: UUID
    die: Random
    other_ids: list[UUID]
    receipts: list[ReceiptClaim] = field(default_factory=list)  # given to the audit
    also_audited: list[UUID] = field(default_factory=list)  # sessions to audit as well

    def __post_init__(self) -> None:
        for statement in DISABLE_GUARDS:
            self.db.execute(statement)
        self.before = self.history()

    def history(self) -> list[Event]:
        return [Event(*row[:6], bytes(row[6])) for row in self.db.execute(HISTORY, (self.id,))]

    def run(self, statement: str, *values: Any) -> None:
        """Execute a statement that must change a row. Raise NotApplicable if it does not."""
        if not self.db.execute(statement, values).rowcount:
            raise NotApplicable

    def pick(self, statement: str, *values: Any) -> tuple[Any, ...]:
        """Return a random row of the result. Raise NotApplicable if there is none."""
        rows = self.db.execute(statement, values).fetchall()
        if not rows:
            raise NotApplicable
        row: tuple[Any, ...] = self.die.choice(rows)
        return row

    def event(self, *kinds: str, after: int = 0) -> Event:
        """Return a random event of these kinds. Raise NotApplicable if there is none."""
        events = [e for e in self.before if e.version > after and (not kinds or e.type in kinds)]
        if not events:
            raise NotApplicable
        return self.die.choice(events)

    def keep_receipt(self, first_version: int) -> None:
        """Give the audit a receipt of a random version from `first_version` on."""
        event = self.die.choice([e for e in self.before if e.version >= first_version])
        self.receipts.append(ReceiptClaim(version=event.version, hash=event.hash, at=event.at))

    def replace(self, events: list[Event]) -> None:
        """Replace the stored events by `events`, without numbering or hashing them."""
        self.db.execute(DELETE_EVENTS, (self.id,))
        for e in events:
            values = (e.version, e.type, e.schema, e.at, e.by, e.data, e.hash)
            self.db.execute(INSERT_EVENT, (self.id, *values))

    def hash_again(self, events: list[Event]) -> list[Event]:
        """Number the events and compute their hashes as the product would."""
        previous_hash = chain.GENESIS_HASH
        for number, e in enumerate(events, start=1):
            e.version = number
            fields = chain.HashedFields(number, e.type, e.schema, e.at, e.by, e.data)
            e.hash = previous_hash = chain.hash_event(self.id, fields, previous_hash)
        return events

    def rewrite(self, events: list[Event], *, answers: bool = True) -> None:
        """Replace the whole history: hashes, head, every projection and the stored replies."""
        self.replace(self.hash_again(events))
        self.move_head(events)
        self.fold()
        if answers:
            self.answer(events)

    def move_head(self, events: list[Event]) -> None:
        last = events[-1]
        conflict_version = [e.version for e in events if e.type != "payment_settled"][-1]
        self.run(HEAD, last.version, conflict_version, last.at, last.hash, self.id)

    def fold(self) -> None:
        """Rebuild the projections; leave them unchanged if the events cannot be folded."""
        with suppress(psycopg.IntegrityError, psycopg.DataError):  # a negative pot, for instance
            try:
                repair_session(self.db, self.id)
            except psycopg.Error:
                raise
            except Exception:
                return

    def answer(self, events: list[Event]) -> None:
        """Delete the stored replies of versions that the new history does not have."""
        self.db.execute(DELETE_REPLIES, (self.id, len(events)))
        delete_remarks = "DELETE FROM vola.remarks WHERE session_id = %s AND version > %s"
        self.db.execute(delete_remarks, (self.id, len(events)))
