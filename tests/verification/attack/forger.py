"""Somebody who owns the machine: no trigger, no right and no constraint is in the way.

Knows how the book is made, and can seal, fold and answer anew as the book itself would; all that
is out of reach is what people have taken home.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.check_receipts import ReceiptClaim
from ledger.events import hash_chain as chain
from ledger.events.timestamps import format_timestamp
from ledger.session.session_state import SessionState, apply_event
from ledger.store.projection_rows import COLUMNS, journal_row, session_rows
from ledger.store.read_stream import read_stream

UNGUARDED = "SET LOCAL session_replication_role = replica"
HISTORY = """
SELECT version, type, schema, at, "by", data, hash FROM vola.events
 WHERE session_id = %s ORDER BY version
"""
FORGET = "DELETE FROM vola.events WHERE session_id = %s"
WRITE = """
INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""
HEAD = """
UPDATE vola.heads SET version = %s, conflict_version = %s, at = %s, hash = %s WHERE session_id = %s
"""
ANSWERS = "SELECT key, version, body FROM vola.stored_replies WHERE session_id = %s"
ANSWER = "UPDATE vola.stored_replies SET body = %s WHERE session_id = %s AND key = %s"


class Nothing(Exception):
    """There is nothing of the kind in this evening to be spoilt."""


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
    """At one evening, inside a transaction that will be rolled back."""

    db: psycopg.Connection[Any]
    id: UUID
    die: Random
    others: list[UUID]
    receipts: list[ReceiptClaim] = field(default_factory=list)  # those that the audit will be given
    also: list[UUID] = field(default_factory=list)  # evenings that are audited as well

    def __post_init__(self) -> None:
        self.db.execute(UNGUARDED)
        self.before = self.history()

    def history(self) -> list[Event]:
        return [Event(*row[:6], bytes(row[6])) for row in self.db.execute(HISTORY, (self.id,))]

    def run(self, statement: str, *values: Any) -> None:
        """Something must come of it."""
        if not self.db.execute(statement, values).rowcount:
            raise Nothing

    def pick(self, statement: str, *values: Any) -> tuple[Any, ...]:
        """One of the rows."""
        found = self.db.execute(statement, values).fetchall()
        if not found:
            raise Nothing
        row: tuple[Any, ...] = self.die.choice(found)
        return row

    def event(self, *kinds: str, after: int = 0) -> Event:
        """One of the events, of some kinds."""
        found = [e for e in self.before if e.version > after and (not kinds or e.type in kinds)]
        if not found:
            raise Nothing
        return self.die.choice(found)

    def keep(self, at_least: int) -> None:
        """Somebody took a receipt home of a version from this one on."""
        stood = self.die.choice([e for e in self.before if e.version >= at_least])
        self.receipts.append(ReceiptClaim(version=stood.version, hash=stood.hash, at=stood.at))

    def replace(self, events: list[Event]) -> None:
        """The stored events become these, as they are."""
        self.db.execute(FORGET, (self.id,))
        for e in events:
            values = (e.version, e.type, e.schema, e.at, e.by, e.data, e.hash)
            self.db.execute(WRITE, (self.id, *values))

    def seal(self, events: list[Event]) -> list[Event]:
        """Numbered and sealed as if it had happened so."""
        before = chain.GENESIS_HASH
        for number, e in enumerate(events, start=1):
            e.version = number
            e.hash = before = chain.hash_event(
                session_id=self.id,
                version=number,
                kind=e.type,
                schema=e.schema,
                at=e.at,
                by=e.by,
                data=e.data,
                before=before,
            )
        return events

    def rewrite(self, events: list[Event], *, answers: bool = True) -> None:
        """A whole history anew: seals, head, every projection, and the answers that were given."""
        self.replace(self.seal(events))
        self.move_head(events)
        self.fold()
        if answers:
            self.answer(events)

    def move_head(self, events: list[Event]) -> None:
        last = events[-1]
        conflict_version = [e.version for e in events if e.type != "payment_settled"][-1]
        self.run(HEAD, last.version, conflict_version, last.at, last.hash, self.id)

    def fold(self) -> None:
        """The projections of what is stored; left alone where it cannot be folded."""
        session, lines = SessionState(id=self.id), dict[Any, Any]()
        try:
            for recorded in read_stream(self.db, self.id, 0, 2**31 - 1):
                session, new = apply_event(session, recorded)
                lines.update(((line.version, line.line), line) for line in new)
        except psycopg.Error:
            raise
        except Exception:
            return
        with suppress(psycopg.IntegrityError, psycopg.DataError), self.db.transaction():
            for table in COLUMNS:  # a pot below nothing has no row, and all is left as it was
                forget = f"DELETE FROM projections.{table} WHERE session_id = %s"
                self.db.execute(forget, (self.id,))
                if table == "journal":
                    made = [journal_row(session, line) for line in lines.values()]
                else:
                    made = [row for _, row in session_rows(session, table)]
                places = ", ".join(["%s"] * len(COLUMNS[table]))
                put = f"INSERT INTO projections.{table} VALUES ({places})"
                self.db.cursor().executemany(put, made)

    def answer(self, events: list[Event]) -> None:
        """The answers tell the new history; those about versions that are gone are gone."""
        by_version = {e.version: e for e in events}
        for key, version, body in self.db.execute(ANSWERS, (self.id,)).fetchall():
            if version not in by_version:
                gone = "DELETE FROM vola.stored_replies WHERE session_id = %s AND key = %s"
                self.db.execute(gone, (self.id, key))
                continue
            said = json.loads(bytes(body))
            if not said:  # of an evening that went on in another nobody was told
                continue
            for stood in (said["receipt"], *said["events"]):
                now = by_version[stood["version"]]
                stood |= {"hash": now.hash.hex(), "at": format_timestamp(now.at)}
            self.db.execute(ANSWER, (json.dumps(said).encode(), self.id, key))
        stray = "DELETE FROM vola.remarks WHERE session_id = %s AND version > %s"
        self.db.execute(stray, (self.id, len(events)))
