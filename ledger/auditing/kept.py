"""What somebody took home from the evening: a receipt that still has to hold.

A receipt is `{"version", "hash", "at"}` as every write answers it; the whole answer, a signed
receipt, a statement and an export carry the same, and all but the first say of which evening. A
signed receipt says how far the evening had come when it was given, too. Without one nobody can know
that the end of a history is gone, or that all of it was written anew.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Annotated, Any, NoReturn
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ledger import checkpoints, notes, origins
from ledger.auditing.findings import Finding, finding
from ledger.auditing.seals import Stream
from ledger.database import Connection
from ledger.exported import Hash, Version
from ledger.times import EPOCH

KEY = "SELECT public FROM vola.keys"
Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")]


class NotAReceipt(Exception):
    """This is no receipt of Vola, or its signature is not its key's."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """That this version of an evening had this seal at this time."""

    version: int
    hash: bytes
    at: int | None  # microseconds, UTC; a statement does not say it
    session_id: UUID | None = None
    signed_with: bytes | None = None  # the public key, if it is signed


class _Stood(msgspec.Struct, frozen=True):
    version: Version
    hash: Hash
    at: Time | UnsetType = UNSET
    checkpoint: str | UnsetType | None = UNSET


class _Document(_Stood, frozen=True):
    session: UUID | UnsetType = UNSET
    key: Hash | UnsetType | None = UNSET
    head: _Stood | UnsetType = UNSET


class _Of(msgspec.Struct, frozen=True):
    id: UUID


class _Answer(msgspec.Struct, frozen=True):
    """A write's whole answer."""

    receipt: _Document
    session: _Of | UnsetType = UNSET


def read(text: bytes) -> tuple[Kept, ...]:
    """What this document says of versions: of its own, and of the one that the evening was at.
    NotAReceipt."""
    try:
        said = json.loads(
            text.decode(),
            object_pairs_hook=_once,
            parse_float=_not_whole,
            parse_constant=_not_whole,
        )
        if isinstance(said, dict) and "hash" not in said and "receipt" in said:
            answer = msgspec.convert(said, _Answer)
            found, of = answer.receipt, answer.session.id if answer.session else None
        else:
            found = msgspec.convert(said, _Document)
            of = found.session or None
        key = bytes.fromhex(found.key) if found.key else None
        stood = (found, found.head) if found.head else (found,)
        return tuple(_kept(one, of, key) for one in stood)
    except (msgspec.ValidationError, ValueError, RecursionError, notes.NoNote, notes.NotSigned):
        raise NotAReceipt from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says nothing twice: which of the two would be meant?"""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _not_whole(number: str) -> NoReturn:
    raise ValueError(number)


def _kept(stood: _Stood, of: UUID | None, key: bytes | None) -> Kept:
    """NoNote, NotSigned: it carries a signature that is not of what it says."""
    at = None if stood.at is UNSET else datetime.fromisoformat(stood.at) - EPOCH
    if stood.checkpoint:
        if of is None or key is None:
            raise notes.NotSigned
        origin, size, _, *lines = notes.text(
            stood.checkpoint, checkpoints.origin(of), key
        ).splitlines()
        said = [f"chain {stood.hash}", *([] if stood.at is UNSET else [f"time {stood.at}"])]
        if (origin, size) != (checkpoints.origin(of), str(stood.version)) or any(
            one not in lines for one in said
        ):
            raise notes.NotSigned
    return Kept(
        version=stood.version,
        hash=bytes.fromhex(stood.hash),
        at=None if at is None else at // timedelta(microseconds=1),
        session_id=of,
        signed_with=key,
    )


def check(
    db: Connection, session_id: UUID, stream: Stream, receipts: Iterable[Kept]
) -> Iterator[Finding]:
    """Whether the history still has what was receipted."""
    for kept in receipts:
        number = kept.version
        seal, at = stream.seals.get(number, (None, None))
        holds = (seal, at if kept.at is None else kept.at) == (kept.hash, at)
        if seal is None:
            detail = f"A receipt says that there was a version {number}; there is none."
            yield finding("tail_missing", number, detail)
        elif not holds:
            yield finding("rewritten", number, "A receipt says that this version was another.")
        if kept.signed_with is None or (holds and number <= origins.upto(db, session_id)):
            continue  # what was kept in another book was signed there, and stands here as it did
        row = db.execute(KEY).fetchone()
        if row is None or bytes(row[0]) != kept.signed_with:
            detail = "A receipt is signed with a key that is not this book's."
            yield finding("key_changed", number, detail)
