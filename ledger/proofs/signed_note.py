"""Notes that another book has signed (C2SP signed-note), as a reader has them.

Strict where it counts: one way to write a signature, and it is the named key's. Knows neither what
a note is about nor whose key it should be.
"""

import re
from base64 import b64decode, b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ledger.checkpoints import key_id

NOTE = re.compile("((?:[^\n]+\n)+)\n((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})")


class NoNote(Exception):
    """This is not how a note is written."""


class NotSigned(Exception):
    """Nobody has signed it under this name with this key."""


def text(note: str, name: str, key: bytes) -> str:
    """What is signed under this name; `key` are 32 public bytes. NoNote, NotSigned."""
    found = NOTE.fullmatch(note)
    if found is None:
        raise NoNote
    said, lines = found.groups()
    for line in lines.splitlines():
        _, signer, written = line.split(" ")
        signature = _bytes(written)
        if signer == name and len(signature) == 68 and signature[:4] == key_id(name, key):
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(signature[4:], said.encode())
            except (InvalidSignature, ValueError):
                break
            return said
    raise NotSigned


def _bytes(written: str) -> bytes:
    """Those of a base64; none when it is not the one way to write them."""
    try:
        made = b64decode(written, validate=True)
    except ValueError:
        return b""
    return made if b64encode(made).decode() == written else b""
