"""Check of receipts that a user saved: the history must still contain what they prove.

A receipt is `{"version", "hash", "at"}`, as in the reply to every write. A whole reply, a signed
receipt, a statement and an export contain one as well, with the id of the session; a group's
statement contains many. A signed receipt also has the head at the time when it was signed, and a
document may have versions that phones or other books have cosigned. Without receipts no audit can
detect a truncated or completely rewritten history.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache, partial
from typing import Any, NoReturn
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from engine.values import Player
from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.events.timestamps import to_microseconds
from ledger.proofs.checkpoint import (
    MalformedNote,
    UnverifiedNote,
    decode_base64,
    note_text,
    origin,
    verified_body,
)
from ledger.proofs.continuation import Hash, Version
from ledger.proofs.cosignature import cosigner_name, verify_cosignature
from ledger.proofs.signing_key import endorsed_keys
from ledger.proofs.statement_note import rename_fields
from ledger.store.connection_pool import Connection
from ledger.transfer.export_format import ExportedWitness, Time, Witnesses


class NotAReceipt(Exception):
    """The document is no receipt of Vola."""


class InvalidReceipt(NotAReceipt):
    """What the document says is not signed by its key, or not cosigned by the phones it names.

    `session_id` and `version` are those that it names, None for a session that it does not name.
    """

    def __init__(self, session_id: UUID | None, version: int | None) -> None:
        super().__init__()
        self.session_id, self.version = session_id, version


class ReceiptClaim(msgspec.Struct, frozen=True, kw_only=True):
    """The claim that a version of a session had this hash and this time."""

    version: int
    hash: bytes
    at: int | None  # microseconds, UTC; a statement does not say it
    session_id: UUID | None = None
    signed_with: bytes | None = None  # the public key, if it is signed
    event_hashes: tuple[bytes, ...] = ()  # of every version up to this one, if an export has them


class _ClaimFields(msgspec.Struct, frozen=True):
    version: Version
    hash: Hash
    at: Time | UnsetType = UNSET
    checkpoint: str | UnsetType | None = UNSET


class _CosignatureFields(msgspec.Struct, frozen=True):
    player: Player
    key: Hash
    signature: str


class _CosignedFields(_ClaimFields, frozen=True, kw_only=True):
    """A version that phones have cosigned."""

    consistency: list[Hash]
    cosignatures: list[_CosignatureFields]


class _Receipt(_ClaimFields, frozen=True):
    session: UUID | UnsetType = UNSET
    key: Hash | UnsetType | None = UNSET
    head: _ClaimFields | UnsetType = UNSET
    witnessed: _CosignedFields | UnsetType | None = UNSET
    witnesses: Witnesses | UnsetType | None = UNSET


class _SessionId(msgspec.Struct, frozen=True):
    id: UUID


class _WriteReply(msgspec.Struct, frozen=True):
    receipt: _Receipt
    session: _SessionId | UnsetType = UNSET


class _GroupStatement(msgspec.Struct, frozen=True):
    """A group's statement, with a claim for each of its sessions."""

    sessions: list[_Receipt]


def read_receipts(text: bytes) -> tuple[ReceiptClaim, ...]:
    """Return the claims in a document: about its own version, and about the head it names.
    Raise NotAReceipt; InvalidReceipt if they are not signed as they stand."""
    session_id, version = None, None
    try:
        document = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=_reject_duplicate_names,
            parse_float=_reject_fraction,
            parse_constant=_reject_fraction,
        )
        if isinstance(document, dict) and "lines" in document and "session" not in document:
            receipts = msgspec.convert(rename_fields(document), _GroupStatement).sessions
        elif isinstance(document, dict) and "hash" not in document and "receipt" in document:
            reply = msgspec.convert(document, _WriteReply)
            session = reply.session.id if reply.session else UNSET
            receipts = [msgspec.structs.replace(reply.receipt, session=session)]
        else:
            receipts = [msgspec.convert(document, _Receipt)]
        claims: list[ReceiptClaim] = []
        for receipt in receipts:
            session_id, version = receipt.session or None, receipt.version
            claims += _claims(receipt, session_id)
        return tuple(claims)
    except (MalformedNote, UnverifiedNote):
        raise InvalidReceipt(session_id, version) from None
    except (msgspec.ValidationError, ValueError, RecursionError):
        raise NotAReceipt from None


def _reject_duplicate_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, refusing a name that is repeated."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _reject_fraction(number: str) -> NoReturn:
    raise ValueError(number)


def _check_cosignatures(witnessed: _CosignedFields, session_id: UUID) -> None:
    """Raise UnverifiedNote unless phones have cosigned the checkpoint, whoever signed it."""
    if not witnessed.checkpoint:
        raise UnverifiedNote
    text = note_text(witnessed.checkpoint)
    for fields in witnessed.cosignatures:
        name = cosigner_name(session_id, fields.player)
        key, signature = bytes.fromhex(fields.key), decode_base64(fields.signature)
        verify_cosignature(name, key, signature, text)


def _claims(receipt: _Receipt, session_id: UUID | None) -> Iterator[ReceiptClaim]:
    """Yield the claims of a receipt, with its cosigned versions. Raise MalformedNote,
    UnverifiedNote."""
    witnesses = receipt.witnesses or ()
    if receipt.witnessed and session_id:
        _check_cosignatures(receipt.witnessed, session_id)
    for witness in witnesses:
        witness.witness().verify(note_text(witness.checkpoint))
    for claim in (receipt, receipt.head, receipt.witnessed, *witnesses):
        if claim:
            yield _verified_claim(claim, receipt, session_id)


def _verified_claim(
    claim: _ClaimFields | ExportedWitness, receipt: _Receipt, session_id: UUID | None
) -> ReceiptClaim:
    """Return a claim of the receipt, its checkpoint verified if any. Raise MalformedNote,
    UnverifiedNote."""
    key = bytes.fromhex(receipt.key) if receipt.key else None
    at = to_microseconds(datetime.fromisoformat(claim.at)) if claim.at else None
    if claim.checkpoint:
        if session_id is None or key is None:
            raise UnverifiedNote
        note_origin, size, _, *lines = verified_body(claim.checkpoint, session_id, key).splitlines()
        expected_lines = {f"chain {claim.hash}", *([f"time {claim.at}"] if claim.at else [])}
        expected_head = (origin(session_id), str(claim.version))
        if (note_origin, size) != expected_head or not expected_lines <= {*lines}:
            raise UnverifiedNote
    return ReceiptClaim(
        version=claim.version,
        hash=bytes.fromhex(claim.hash),
        at=at,
        session_id=session_id,
        signed_with=key,
    )


def check_receipts(
    db: Connection, stream: StoredStream, receipts: Iterable[ReceiptClaim]
) -> Iterator[Finding]:
    """Yield findings about claims that the history does not bear out."""
    book_keys = cache(partial(endorsed_keys, db))  # read once, if any claim is signed
    for claim in receipts:
        version = claim.version
        stored_hash, at = stream.hashes.get(version, (None, None))
        is_proven = stored_hash == claim.hash and claim.at in (None, at)
        if not is_proven:
            yield _contradiction(claim, stream)
        if claim.signed_with is None or (is_proven and version <= stream.imported_version):
            continue  # an imported version was signed by the other book
        if claim.signed_with not in book_keys():
            detail = "A receipt is signed with a key that is not this book's."
            yield Finding("key_changed", detail, version)


def _contradiction(claim: ReceiptClaim, stream: StoredStream) -> Finding:
    """Return the finding about a claim that the history contradicts, at the first version that an
    export shows to be another."""
    hashes = enumerate(claim.event_hashes, start=1)
    differing = (v for v, event_hash in hashes if stream.hashes.get(v, (b"",))[0] != event_hash)
    version = next(differing, claim.version)
    if version in stream.hashes:
        return Finding("rewritten", "A receipt says that this version was another.", version)
    detail = f"A receipt says that there was a version {version}; there is none."
    return Finding("tail_missing", detail, version)
