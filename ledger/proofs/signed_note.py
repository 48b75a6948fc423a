"""Verify signed notes (C2SP signed-note).

Strict: a signature has exactly one accepted encoding and must be by the named key. What the note
says and whose key it should be is for the caller to decide.
"""

import re
from base64 import b64decode, b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ledger.proofs.checkpoint import key_id

NOTE = re.compile("((?:[^\n]+\n)+)\n((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})")


class MalformedNote(Exception):
    """The text is not a signed note."""


class UnverifiedNote(Exception):
    """No signature under this name verifies with this key."""


def verified_body(note: str, name: str, key: bytes) -> str:
    """Return the body that `key` (32 bytes) signed as `name`. MalformedNote, UnverifiedNote."""
    match = NOTE.fullmatch(note)
    if match is None:
        raise MalformedNote
    body, lines = match.groups()
    for line in lines.splitlines():
        _, signer, encoded = line.split(" ")
        signature = _decode_base64(encoded)
        if signer == name and len(signature) == 68 and signature[:4] == key_id(name, key):
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(signature[4:], body.encode())
            except (InvalidSignature, ValueError):
                break
            return body
    raise UnverifiedNote


def _decode_base64(encoded: str) -> bytes:
    """Return the decoded bytes, or none unless the text is their canonical base64."""
    try:
        decoded = b64decode(encoded, validate=True)
    except ValueError:
        return b""
    return decoded if b64encode(decoded).decode() == encoded else b""
