"""How far an evening has come, in five lines that are signed: keep them, and nobody can take back
what stood then.

A signed note in the form of C2SP tlog-checkpoint: origin (with the session), size, root, then as
extension lines the seal of the last event and its time; signed with Ed25519 under the origin as key
name. The same version is always the same bytes, whichever process signs: two different ones of the
same version prove that history was told in two ways. Knows no database.
"""

from base64 import b64encode
from hashlib import sha256
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.times import iso

ED25519 = b"\x01"
"""The algorithm in a key id of a signed note."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A version of an evening: `root` of the tree of that size, `hash` and `at` of its event."""

    session_id: UUID
    size: int
    root: bytes
    hash: bytes
    at: int


def origin(session_id: UUID) -> str:
    return f"vola/{session_id}"


def text(checkpoint: Checkpoint) -> str:
    """What is signed."""
    lines = (
        origin(checkpoint.session_id),
        str(checkpoint.size),
        b64encode(checkpoint.root).decode(),
        f"chain {checkpoint.hash.hex()}",
        f"time {iso(checkpoint.at)}",
    )
    return "".join(f"{line}\n" for line in lines)


def signed(key: Ed25519PrivateKey, checkpoint: Checkpoint) -> str:
    """The note: the text, an empty line, the signature's line."""
    name, body = origin(checkpoint.session_id), text(checkpoint)
    signature = b64encode(key_id(name, public(key)) + key.sign(body.encode()))
    return f"{body}\n— {name} {signature.decode()}\n"


def key_id(name: str, key: bytes) -> bytes:
    """Four bytes by which a reader finds the line that he has a key for."""
    return sha256(name.encode() + b"\n" + ED25519 + key).digest()[:4]


def public(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes that everybody may know."""
    return key.public_key().public_bytes_raw()
