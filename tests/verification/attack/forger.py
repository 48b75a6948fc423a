"""An attacker with superuser rights, whom no trigger, grant or constraint stops.

The forger can compute hashes, projections and stored replies as the product does. Only the receipts
that people have saved are out of its reach.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.check_receipts import ReceiptClaim
from ledger.events import hash_chain as chain
from ledger.rebuild.rebuild import repair_session

DISABLE_GUARDS = (
    "SET LOCAL session_replication_role = replica",
    "ALTER TABLE vola.heads DROP CONSTRAINT IF EXISTS heads_are_consistent",
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
UPDATE_HEAD = """
UPDATE vola.heads SET version = %s, conflict_version = %s, at = %s, hash = %s WHERE session_id = %s
"""
DELETE_REPLIES = "DELETE FROM vola.stored_replies WHERE session_id = %s AND version > %s"
DELETE_REMARKS = "DELETE FROM vola.remarks WHERE session_id = %s AND version > %s"


def canonical_json(value: Any) -> str:
    """Return JSON in the form in which the ledger writes an event's data."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


class NotApplicable(Exception):
    """The session has nothing that this kind of corruption could change."""


@dataclass
class Event:
    """A row of `vola.events`, without its session."""

    version: int
    type: str
    schema: int
    at: int
    by: str
    data: str
    hash: bytes


@dataclass
class Forger:
    """An attacker of one session, in a transaction that the caller rolls back.

    `other_ids` are other sessions of the book, from which the forger may take rows."""

    db: psycopg.Connection[Any]
    session_id: UUID
    die: Random
    other_ids: list[UUID]
    receipts: list[ReceiptClaim] = field(default_factory=list)
    """The receipts that are given to the audit."""
    also_audited_ids: list[UUID] = field(default_factory=list)
    """The other sessions that are audited after this attack."""

    def __post_init__(self) -> None:
        for statement in DISABLE_GUARDS:
            self.db.execute(statement)
        self.original_events = self.history()

    def history(self) -> list[Event]:
        """Return the events that the database has now."""
        rows = self.db.execute(HISTORY, (self.session_id,))
        return [Event(*row[:6], bytes(row[6])) for row in rows]

    def execute(self, statement: str, *values: Any) -> None:
        """Execute a statement. Raise NotApplicable if it changes no row."""
        if not self.db.execute(statement, values).rowcount:
            raise NotApplicable

    def pick_row(self, statement: str, *values: Any) -> tuple[Any, ...]:
        """Return a random row of the result. Raise NotApplicable if there is none."""
        rows = self.db.execute(statement, values).fetchall()
        if not rows:
            raise NotApplicable
        row: tuple[Any, ...] = self.die.choice(rows)
        return row

    def pick_event(self, *types: str, after: int = 0) -> Event:
        """Return a random event of these types, or of any type, with a version above `after`.

        Raise NotApplicable if there is none."""
        events = [
            event
            for event in self.original_events
            if event.version > after and (not types or event.type in types)
        ]
        if not events:
            raise NotApplicable
        return self.die.choice(events)

    def make_transfer(self, after: Event) -> Event:
        """Return a transfer a microsecond after an event; a transfer fits at any time."""
        players = json.loads(self.original_events[0].data)["players"]
        payer, payee = self.die.sample(players, 2)
        fields = {"amount": self.die.randint(1, 999), "payee": payee, "payer": payer}
        return Event(0, "transfer_recorded", 1, after.at + 1, "host.0", canonical_json(fields), b"")

    def keep_receipt(self, first_version: int) -> None:
        """Give the audit a receipt of a random version from `first_version` on."""
        events = [event for event in self.original_events if event.version >= first_version]
        event = self.die.choice(events)
        self.receipts.append(ReceiptClaim(version=event.version, hash=event.hash, at=event.at))

    def replace_events(self, events: list[Event], *, move_head: bool = False) -> None:
        """Replace the stored events by `events`, without numbering or hashing them.

        With `move_head`, the head then says what they say of version, time and hash."""
        self.db.execute(DELETE_EVENTS, (self.session_id,))
        for event in events:
            self.db.execute(INSERT_EVENT, (self.session_id, *astuple(event)))
        if move_head:
            self._move_head(events)

    def hash_again(self, events: list[Event]) -> list[Event]:
        """Number the events and compute their hashes as the product would."""
        previous_hash = chain.GENESIS_HASH
        number_events(events)
        for event in events:
            fields = chain.HashedFields(*astuple(event)[:-1])
            event.hash = previous_hash = chain.hash_event(self.session_id, fields, previous_hash)
        return events

    def rewrite(self, events: list[Event], *, keep_replies: bool = False) -> None:
        """Replace the whole history: hashes, head and every projection.

        Unless `keep_replies`, also delete the replies and remarks of versions that are gone."""
        self.replace_events(self.hash_again(events), move_head=True)
        self.rebuild_projections()
        if not keep_replies:
            self.delete_later_replies(len(events))

    def _move_head(self, events: list[Event]) -> None:
        last = events[-1]
        conflict_version = [event.version for event in events if event.type != "payment_settled"][
            -1
        ]
        self.execute(
            UPDATE_HEAD, last.version, conflict_version, last.at, last.hash, self.session_id
        )

    def rebuild_projections(self) -> None:
        """Rebuild the projections; leave them unchanged if no projection fits the events."""
        try:
            repair_session(self.db, self.session_id)
        except (psycopg.IntegrityError, psycopg.DataError):
            return  # the tables refuse it, a negative pot for instance
        except psycopg.Error:
            raise
        except Exception:
            return  # the events cannot be folded

    def delete_later_replies(self, version: int) -> None:
        """Delete the stored replies and the remarks of later versions than this one."""
        self.db.execute(DELETE_REPLIES, (self.session_id, version))
        self.db.execute(DELETE_REMARKS, (self.session_id, version))


def number_events(events: list[Event]) -> None:
    """Give the events the versions 1, 2, 3 and so on."""
    for version, event in enumerate(events, start=1):
        event.version = version
