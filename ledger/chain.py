"""Each event sealed to the one before it, so that no krona can be moved in silence.

The seal covers session, version, type, schema, time, writer, a digest of the canonical bytes, and
the seal before; every field is preceded by its length, so that no two histories share the bytes
that are hashed. Nothing is serialised again before hashing: the stored bytes are what is sealed.
"""

from hashlib import sha256
from uuid import UUID

DOMAIN = b"vola event 1"
FIRST = bytes(32)
"""What stands before the first event."""


def seal(
    *,
    session_id: UUID,
    version: int,
    kind: str,
    schema: int,
    at: int,
    by: str,
    data: str,
    before: bytes,
) -> bytes:
    """32 bytes that stand for this event and everything before it. `at`: microseconds, UTC."""
    fields = (
        DOMAIN,
        session_id.bytes,
        version.to_bytes(8, "big"),
        kind.encode(),
        schema.to_bytes(4, "big"),
        at.to_bytes(8, "big"),
        by.encode(),
        sha256(data.encode()).digest(),
        before,
    )
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def commitment(salt: bytes, name: str) -> str:
    """Stands for a name until name and salt are erased; after that it tells nothing."""
    return sha256(b"vola name 1" + len(salt).to_bytes(4, "big") + salt + name.encode()).hexdigest()
