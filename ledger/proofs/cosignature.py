"""Cosignatures: what a phone signs when its holder confirms the sums of a version.

The format is C2SP tlog-cosignature: an Ed25519 signature, with a time, over the text of the
session's checkpoint. The phone makes the key. Its name is that of the session and the player who
holds the phone, so a cosignature counts for no other. The book's own key has no part in it: the
book cannot make one, and a checkpoint of another history has none.
"""

from base64 import b64encode
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.values import Player
from ledger.proofs.checkpoint import (
    COSIGNATURE,
    UnverifiedNote,
    key_id,
    public_bytes,
    read_public_key,
)

SIGNATURE_BYTES = 4 + 8 + 64
"""The key id, the time as a number of eight bytes, and the Ed25519 signature."""


class Cosignature(msgspec.Struct, frozen=True, kw_only=True):
    """A player's confirmation of a version, by the key of a phone."""

    version: int
    player: Player
    key: bytes
    signature: bytes

    def json_fields(self) -> dict[str, str]:
        """Return who has signed with what, as in the document of a version."""
        signature = b64encode(self.signature).decode()
        return {"player": self.player, "key": self.key.hex(), "signature": signature}


def cosigner_name(session_id: UUID, player: Player) -> str:
    """Return the name of the key of a phone that this player holds."""
    return f"vola/{session_id}/{player}"


def cosign(key: Ed25519PrivateKey, name: str, checkpoint_text: str, at: int) -> bytes:
    """Return the signature of a checkpoint's text; `at` is in seconds since 1970, UTC."""
    signature = key.sign(_cosigned_text(at, checkpoint_text))
    return key_id(name, public_bytes(key), COSIGNATURE) + at.to_bytes(8, "big") + signature


def verify_cosignature(name: str, key: bytes, signature: bytes, checkpoint_text: str) -> None:
    """Raise UnverifiedNote unless the key of this name has cosigned the text."""
    at = int.from_bytes(signature[4:12], "big")
    if len(signature) != SIGNATURE_BYTES or signature[:4] != key_id(name, key, COSIGNATURE):
        raise UnverifiedNote
    try:
        signed_text = _cosigned_text(at, checkpoint_text)
        read_public_key(key).verify(signature[12:], signed_text)
    except (InvalidSignature, ValueError):
        raise UnverifiedNote from None


def _cosigned_text(at: int, checkpoint_text: str) -> bytes:
    return f"cosignature/v1\ntime {at}\n{checkpoint_text}".encode()
