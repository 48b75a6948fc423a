"""What somebody took home from the evening: a receipt that still has to hold.

A receipt is `{"version", "hash", "at"}` as every write answers it; the whole answer, a signed
receipt and an export carry the same, and the latter two say of which evening and with which key.
Without one nobody can know that the end of a history is gone, or that all of it was written anew.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from ledger.auditing.findings import Finding, finding
from ledger.auditing.seals import Stream
from ledger.database import Connection
from ledger.times import EPOCH

KEY = "SELECT public FROM vola.keys"


class NotAReceipt(Exception):
    """This is no receipt of Vola."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """That this version of an evening had this seal at this time."""

    version: int
    hash: bytes
    at: int
    session_id: UUID | None = None
    signed_with: bytes | None = None  # the public key, if it is signed


def read(text: bytes) -> Kept:
    """A receipt from its JSON. NotAReceipt."""
    try:
        said = msgspec.json.decode(text)
        stood: dict[str, Any] = said.get("receipt", said)
        session, key = said.get("session"), said.get("key")
        return Kept(
            version=int(stood["version"]),
            hash=bytes.fromhex(stood["hash"]),
            at=(datetime.fromisoformat(stood["at"]) - EPOCH) // timedelta(microseconds=1),
            session_id=UUID(session) if isinstance(session, str) else None,
            signed_with=bytes.fromhex(key) if isinstance(key, str) else None,
        )
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError):
        raise NotAReceipt from None


def check(db: Connection, stream: Stream, receipts: Iterable[Kept]) -> Iterator[Finding]:
    """Whether the history still has what was receipted."""
    for kept in receipts:
        number = kept.version
        if number not in stream.seals:
            detail = f"A receipt says that there was a version {number}; there is none."
            yield finding("tail_missing", number, detail)
        elif stream.seals[number] != (kept.hash, kept.at):
            yield finding("rewritten", number, "A receipt says that this version was another.")
        if kept.signed_with is not None:
            row = db.execute(KEY).fetchone()
            if row is None or bytes(row[0]) != kept.signed_with:
                detail = "A receipt is signed with a key that is not this book's."
                yield finding("key_changed", number, detail)
