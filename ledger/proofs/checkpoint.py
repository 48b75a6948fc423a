"""Checkpoints: the size and root hash of a session's Merkle tree, signed; and signed notes.

A checkpoint is a signed note (C2SP signed-note) in the form of C2SP tlog-checkpoint: origin (with
the session id), size and root, then the last event's hash and time as extension lines; signed with
Ed25519 under the origin as key name. Under one key a version always gives the same bytes, whichever
process signs it, so two different checkpoints of one version prove that history was changed.
"""

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ledger.events.timestamps import format_timestamp
from ledger.proofs.merkle_tree import MerkleTree

ED25519, COSIGNATURE = b"\x01", b"\x04"
"""What a key id of a signed note is for: a signature by Ed25519, or a cosignature."""
FIELD_PRIME = 2**255 - 19
_ORDER_EIGHT = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER = frozenset({0, 1, FIELD_PRIME - 1, _ORDER_EIGHT, FIELD_PRIME - _ORDER_EIGHT})
"""The y of all points whose order divides 8. As a key, such a point fits signatures of any text."""
NOTE = re.compile("((?:[^\n]++\n)++)\n((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})")
"""Its `++` never goes back: to do so, it would remember each line of a note of millions."""


class MalformedNote(Exception):
    """The text is not a signed note."""


class UnverifiedNote(Exception):
    """No signature under this name verifies with this key."""


def origin(subject: UUID | str) -> str:
    """Return the origin line, which is also the name of the signing key."""
    return f"vola/{subject}"


def checkpoint_body(session_id: UUID, tree: MerkleTree, size: int, digest: bytes, at: int) -> str:
    """Return the text that is signed of a session at version `size`, whose event has this hash and
    time (microseconds, UTC). `tree` has all events up to it at least."""
    return checkpoint_text(session_id, size, tree.root(size), digest.hex(), format_timestamp(at))


def checkpoint_text(session_id: UUID, size: int, root: bytes, digest: str, at: str) -> str:
    """Return the same text, with the root of the tree; hash and time as text."""
    root_line = b64encode(root).decode()
    return f"{origin(session_id)}\n{size}\n{root_line}\nchain {digest}\ntime {at}\n"


def note_text(note: str) -> str:
    """Return what a signed note says, without its signatures."""
    return note.partition("\n\n")[0] + "\n"


def sign_note(key: Ed25519PrivateKey, subject: UUID | str, body: str) -> str:
    """Return a signed note: the body, an empty line and the signature line. `subject` is the id of
    the session or of the group that the note is about, or `key`."""
    name = origin(subject)
    signature = b64encode(key_id(name, public_bytes(key)) + key.sign(body.encode()))
    return f"{body}\n— {name} {signature.decode()}\n"


def key_id(name: str, key: bytes, kind: bytes = ED25519) -> bytes:
    """Return the four bytes that tell a verifier which key made a signature."""
    return sha256(name.encode() + b"\n" + kind + key).digest()[:4]


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key."""
    return key.public_key().public_bytes_raw()


def verified_body(note: str, subject: UUID | str, key: bytes) -> str:
    """Return the body that `key` (32 bytes) signed; `subject` as in `sign_note`. Raise
    MalformedNote, UnverifiedNote.

    Strict: a signature has exactly one accepted encoding and must be by the named key. What the
    note says and whose key it should be is for the caller to decide.
    """
    match, name = NOTE.fullmatch(note), origin(subject)
    if match is None:
        raise MalformedNote
    body, lines = match.groups()
    for line in lines.splitlines():
        _, signer, encoded = line.split(" ")
        signature = decode_base64(encoded)
        if signer == name and len(signature) == 68 and signature[:4] == key_id(name, key):
            try:
                read_public_key(key).verify(signature[4:], body.encode())
            except (InvalidSignature, ValueError):
                break
            return body
    raise UnverifiedNote


def read_public_key(key: bytes) -> Ed25519PublicKey:
    """Return the public key with these 32 bytes. Raise ValueError unless they are its only encoding
    (RFC 8032 §5.1.3), and for a point of small order: OpenSSL accepts both, which `verify.py` and
    other verifiers refuse."""
    y = int.from_bytes(key, "little") & (2**255 - 1)
    if y >= FIELD_PRIME or y in SMALL_ORDER:
        raise ValueError
    return Ed25519PublicKey.from_public_bytes(key)


def decode_base64(encoded: str) -> bytes:
    """Return the decoded bytes, or none unless the text is their canonical base64."""
    try:
        decoded = b64decode(encoded, validate=True)
    except ValueError:
        return b""
    return decoded if b64encode(decoded).decode() == encoded else b""
