"""Checkpoints: the size and root hash of a session's Merkle tree, signed.

A signed note in the form of C2SP tlog-checkpoint: origin (with the session id), size and root, then
the last event's hash and time as extension lines; signed with Ed25519 under the origin as key name.
A version always gives the same bytes, whichever process signs it, so two different checkpoints of
one version prove that history was changed.
"""

from base64 import b64encode
from hashlib import sha256
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.events.timestamps import format_timestamp

ED25519 = b"\x01"
"""The algorithm in a key id of a signed note."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a session: its size, Merkle root, and its last event's `hash` and `at`."""

    session_id: UUID
    size: int
    root: bytes
    hash: bytes
    at: int


def origin(session_id: UUID) -> str:
    """Return the origin line, which is also the name of the signing key."""
    return f"vola/{session_id}"


def checkpoint_body(checkpoint: Checkpoint) -> str:
    """Return the text that is signed."""
    lines = (
        origin(checkpoint.session_id),
        str(checkpoint.size),
        b64encode(checkpoint.root).decode(),
        f"chain {checkpoint.hash.hex()}",
        f"time {format_timestamp(checkpoint.at)}",
    )
    return "".join(f"{line}\n" for line in lines)


def sign_checkpoint(key: Ed25519PrivateKey, checkpoint: Checkpoint) -> str:
    """Return the signed note of a checkpoint."""
    return sign_note(key, origin(checkpoint.session_id), checkpoint_body(checkpoint))


def sign_note(key: Ed25519PrivateKey, name: str, body: str) -> str:
    """Return a signed note: the body, an empty line and the signature line."""
    signature = b64encode(key_id(name, public_bytes(key)) + key.sign(body.encode()))
    return f"{body}\n— {name} {signature.decode()}\n"


def key_id(name: str, key: bytes) -> bytes:
    """Return the four bytes that tell a verifier which key made a signature."""
    return sha256(name.encode() + b"\n" + ED25519 + key).digest()[:4]


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key."""
    return key.public_key().public_bytes_raw()
