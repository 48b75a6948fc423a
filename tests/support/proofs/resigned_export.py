"""Exports that a forger has changed, hashed and signed again with a key of its own."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import convert

from ledger.events import hash_chain as chain
from ledger.events.timestamps import format_timestamp
from ledger.proofs import checkpoint as checkpoints
from ledger.proofs.merkle_tree import MerkleTree

METADATA = ("title", "names", "remarks", "labels")
FORGER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def resign_export(doc: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an export without names, hashed again and signed with the forger's key."""
    doc = deepcopy({k: v for k, v in doc.items() if k not in METADATA})
    session_id, before, hashes = UUID(doc["session"]), chain.GENESIS_HASH, []
    for version, event in enumerate(doc["events"], start=1):
        event["version"] = version
        fields = convert(event, chain.HashedFields)
        before = chain.hash_event(session_id, fields, before)
        event["hash"] = before.hex()
        hashes.append(before)
    end = doc["events"][-1]
    tree = MerkleTree().with_leaves(hashes)
    body = checkpoints.checkpoint_body(session_id, tree, len(hashes), before, end["at"])
    doc |= {"version": len(hashes), "hash": before.hex(), "at": format_timestamp(end["at"])}
    doc |= {
        "key": checkpoints.public_bytes(FORGER_KEY).hex(),
        "checkpoint": checkpoints.sign_note(FORGER_KEY, session_id, body),
    }
    return doc
