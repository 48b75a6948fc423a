"""Whether a receipt from another book continues the history that was seen before.

The book is not trusted: its receipt must be signed by the key that was seen first, or by one that
this key has led to, and must prove that its newest version continues the one that was kept. The
form has the same checks (api/web/static/features/proofs/continuation.js). Knows no network.
"""

from base64 import b64decode
from collections.abc import Collection
from itertools import pairwise
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from ledger.proofs.checkpoint import MalformedNote, UnverifiedNote, checkpoint_text, verified_body
from ledger.proofs.merkle_tree import HASH_BYTES, is_consistent, is_included, leaf_hash
from ledger.proofs.signing_key import KEY_NOTE, endorsement_body

Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""SHA-256 in hexadecimal digits."""
Version = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Reason = Literal[
    "other_key", "other_session", "checkpoint_wrong", "signature_wrong", "rewritten",
    "tail_missing", "inclusion_wrong", "consistency_wrong",
]  # fmt: skip


class Contradiction(Exception):
    """The history is not the one that was seen before, or is not signed: {reason}, at version
    {version}."""

    def __init__(self, reason: Reason, version: int) -> None:
        super().__init__(f"{reason} at version {version}")
        self.reason, self.version = reason, version


class MalformedReceipt(Exception):
    """The document is no receipt that this program knows, which says nothing of the history."""


class SignedClaim(msgspec.Struct, frozen=True):
    """A version with its checkpoint, as the book claims it."""

    version: Version
    hash: Hash
    at: str
    checkpoint: str


class EndorsingKey(msgspec.Struct, frozen=True):
    """An earlier key of the book, and its note about the next."""

    key: Hash
    note: str


class KnownWitness(msgspec.Struct, frozen=True):
    """A witness that the book knows, and the version that it has cosigned."""

    key: Hash
    version: Version


class ReceivedReceipt(SignedClaim, frozen=True, kw_only=True):
    """A receipt as another book sends it; members that are not needed here are left out."""

    format: Literal["vola receipt 1"]
    session: UUID
    key: Hash
    head: SignedClaim
    inclusion: list[Hash]
    consistency: list[Hash]
    earlier_keys: list[EndorsingKey] = []
    witnesses: list[KnownWitness] = []


def read_receipt(document: Any) -> ReceivedReceipt:
    """Return the receipt in a JSON document. Raise MalformedReceipt."""
    try:
        return msgspec.convert(document, ReceivedReceipt)
    except (msgspec.ValidationError, RecursionError):
        raise MalformedReceipt from None


def check_continuation(
    session_id: UUID,
    receipt: ReceivedReceipt,
    keys: Collection[str],
    kept_claim: SignedClaim | None,
) -> None:
    """Raise Contradiction unless the receipt's head continues `kept_claim`, which was verified when
    it was stored; with None, unless the receipt is valid on its own. `keys` are those that the book
    was known by: each must be its key or lead to it."""
    if not all(is_endorsed(key, receipt) for key in keys):
        raise Contradiction("other_key", receipt.version)
    if receipt.session != session_id:
        raise Contradiction("other_session", receipt.version)
    key, head = bytes.fromhex(receipt.key), receipt.head
    root = _signed_root(session_id, receipt, key)
    head_root = _signed_root(session_id, head, key)
    if kept_claim and (receipt.version, receipt.hash) != (kept_claim.version, kept_claim.hash):
        raise Contradiction("rewritten", kept_claim.version)
    if kept_claim and root != _root(kept_claim.checkpoint):
        raise Contradiction("rewritten", kept_claim.version)
    if head.version < receipt.version:
        raise Contradiction("tail_missing", receipt.version)
    leaf, proof = leaf_hash(bytes.fromhex(receipt.hash)), _nodes(receipt.inclusion)
    if not is_included(leaf, receipt.version - 1, head.version, proof, head_root):
        raise Contradiction("inclusion_wrong", receipt.version)
    proof = _nodes(receipt.consistency)
    if not is_consistent(receipt.version, head.version, proof, root, head_root):
        raise Contradiction("consistency_wrong", receipt.version)


def is_endorsed(expected: str, receipt: ReceivedReceipt) -> bool:
    """Return whether the receipt's key is the expected one, or one that it leads to."""
    chain = [*receipt.earlier_keys, EndorsingKey(receipt.key, "")]
    keys = [link.key for link in chain]
    places = [place for place, key in enumerate(keys) if key == expected]
    return bool(places) and all(
        _is_endorsement(earlier, following.key)
        for earlier, following in pairwise(chain[places[-1] :])
    )


def _is_endorsement(earlier: EndorsingKey, key: str) -> bool:
    try:
        body = verified_body(earlier.note, KEY_NOTE, bytes.fromhex(earlier.key))
    except (MalformedNote, UnverifiedNote):
        return False
    return body == endorsement_body(bytes.fromhex(key))


def _signed_root(session_id: UUID, claim: SignedClaim, key: bytes) -> bytes:
    """Return the root that the claim's checkpoint signs. Raise Contradiction."""
    try:
        body = verified_body(claim.checkpoint, session_id, key)
    except MalformedNote:
        raise Contradiction("checkpoint_wrong", claim.version) from None
    except UnverifiedNote:
        raise Contradiction("signature_wrong", claim.version) from None
    root = _root(claim.checkpoint)
    expected_body = checkpoint_text(session_id, claim.version, root, claim.hash, claim.at)
    if len(root) != HASH_BYTES or body != expected_body:
        raise Contradiction("checkpoint_wrong", claim.version)
    return root


def _root(checkpoint: str) -> bytes:
    """Return the root in the third line of a checkpoint; no bytes if there is none."""
    try:
        return b64decode(checkpoint.split("\n")[2], validate=True)
    except (ValueError, IndexError):
        return b""


def _nodes(hashes: list[Hash]) -> list[bytes]:
    return [bytes.fromhex(node) for node in hashes]
