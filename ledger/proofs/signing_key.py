"""The Ed25519 keys that a book signs checkpoints, receipts and statements with, one after another.

The first key is created once and stored in the database, so that every process signs with the same
one. `rotate_key` adds the next, which the key before it endorses: a signed note that names it.
Documents carry the endorsements, so that an earlier key is enough to verify what a later one signs.
Only the app's database role and the owner may read the private halves, and no role may replace one.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from typing import Any

import msgspec
import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import (
    MalformedNote,
    UnverifiedNote,
    public_bytes,
    sign_note,
    verified_body,
)

Connection = psycopg.Connection[tuple[Any, ...]]
SIGNING_KEYS = "SELECT public, secret, endorsement FROM vola.signing_key ORDER BY number"
PUBLIC_KEYS = "SELECT public, endorsement FROM vola.signing_key ORDER BY number"
INSERT_FIRST_KEY = """
INSERT INTO vola.signing_key (public, secret) VALUES (%(public)s, %(secret)s) ON CONFLICT DO NOTHING
"""
INSERT_NEXT_KEY = """
INSERT INTO vola.signing_key (number, public, secret, endorsement)
VALUES (%(number)s, %(public)s, %(secret)s, %(endorsement)s)
"""
KEY_NOTE = "key"
"""The subject of an endorsement in the name of its signature line: `vola/key`."""

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"


class EarlierKey(msgspec.Struct, frozen=True):
    """A key that the book signed with before, and its note about the next one."""

    key: bytes
    note: str


class SigningKey(msgspec.Struct, frozen=True):
    """The key that the book signs with now, and all before it, oldest first."""

    private_key: Ed25519PrivateKey
    earlier_keys: tuple[EarlierKey, ...] = ()

    @property
    def public_bytes(self) -> bytes:
        return public_bytes(self.private_key)

    def json_fields(self) -> dict[str, Any]:
        """Return the fields of a signed document that say which key signed it. `earlier_keys` is in
        it only once the key was rotated."""
        earlier = [{"key": key.key.hex(), "note": key.note} for key in self.earlier_keys]
        return {"key": self.public_bytes.hex(), **({"earlier_keys": earlier} if earlier else {})}

    def followed_by(self, new_key: Ed25519PrivateKey) -> SigningKey:
        """Return the new key, endorsed by this one."""
        note = sign_note(self.private_key, KEY_NOTE, endorsement_body(public_bytes(new_key)))
        return SigningKey(new_key, (*self.earlier_keys, EarlierKey(self.public_bytes, note)))


def load_signing_key(db: Connection) -> SigningKey:
    """Return the newest key; the first is created here."""
    rows = db.execute(SIGNING_KEYS).fetchall()
    if not rows:
        # if another process is faster, its key stays
        db.execute(INSERT_FIRST_KEY, _key_columns(Ed25519PrivateKey.generate()))
        rows = db.execute(SIGNING_KEYS).fetchall()
    earlier = tuple(EarlierKey(bytes(row[0]), after[2]) for row, after in pairwise(rows))
    return SigningKey(Ed25519PrivateKey.from_private_bytes(rows[-1][1]), earlier)


def rotate_key(db: Connection) -> SigningKey:
    """Add a key that the present one endorses, and sign with it from now on. Needs the owner's
    role. psycopg.errors.UniqueViolation if somebody else rotates it at the same time."""
    new_key = load_signing_key(db).followed_by(Ed25519PrivateKey.generate())
    number, endorsement = len(new_key.earlier_keys) + 1, new_key.earlier_keys[-1].note
    columns = {"number": number, "endorsement": endorsement, **_key_columns(new_key.private_key)}
    db.execute(INSERT_NEXT_KEY, columns)
    return new_key


def endorsement_body(key: bytes) -> str:
    """Return the text that the earlier key signs."""
    return f"vola-key\n{b64encode(key).decode()}\n"


def endorsed_keys(db: Connection) -> frozenset[bytes]:
    """Return the public keys of the book: the newest, and each earlier one that endorses the key
    after it."""
    rows = db.execute(PUBLIC_KEYS).fetchall()
    keys = {bytes(rows[-1][0])} if rows else set()
    for (earlier, _), (key, endorsement) in reversed([*pairwise(rows)]):
        try:
            if verified_body(endorsement, KEY_NOTE, bytes(earlier)) != endorsement_body(key):
                break
        except (MalformedNote, UnverifiedNote):
            break
        keys.add(bytes(earlier))
    return frozenset(keys)


def key_words(key: bytes) -> str:
    """Return four words to compare by eye or aloud: the first 64 bits of the key's SHA-256, as
    proquints (D. S. Wilkerson, arXiv 0901.4016)."""
    digest = sha256(key).digest()
    return " ".join(_word(int.from_bytes(digest[i : i + 2], "big")) for i in range(0, 8, 2))


def _word(bits: int) -> str:
    """Return consonants for 4 bits each and vowels for 2, by turns."""
    return (
        CONSONANTS[bits >> 12]
        + VOWELS[bits >> 10 & 3]
        + CONSONANTS[bits >> 6 & 15]
        + VOWELS[bits >> 4 & 3]
        + CONSONANTS[bits & 15]
    )


def _key_columns(key: Ed25519PrivateKey) -> dict[str, bytes]:
    return {"public": public_bytes(key), "secret": key.private_bytes_raw()}
