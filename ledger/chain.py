"""Each event sealed to the one before it, so that no krona can be moved in silence.

The seal covers session, version, type, schema, time, writer, a digest of the canonical bytes, and
the seal before; every field is preceded by its length, so that no two histories share the bytes
that are hashed. Nothing is serialised again before hashing: the stored bytes are what is sealed.
"""

from functools import lru_cache
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
        _stream(session_id),
        _of(8, version),
        _type(kind, schema),
        _of(8, at),
        _writer(by),
        OF_32,
        sha256(data.encode()).digest(),
        _field(before),
    )
    return sha256(b"".join(fields)).digest()


OF_32 = (32).to_bytes(4, "big")  # as long as a digest


def _of(length: int, number: int) -> bytes:
    return length.to_bytes(4, "big") + number.to_bytes(length, "big")


def _field(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


# The same again for event after event: a chain is verified as fast as it is hashed.


@lru_cache(maxsize=1024)
def _stream(session_id: UUID) -> bytes:
    return _field(DOMAIN) + _field(session_id.bytes)


@lru_cache(maxsize=1024)
def _type(kind: str, schema: int) -> bytes:
    return _field(kind.encode()) + _of(4, schema)


@lru_cache(maxsize=1024)
def _writer(by: str) -> bytes:
    return _field(by.encode())


def commitment(salt: bytes, name: str) -> str:
    """Stands for a name until name and salt are erased; after that it tells nothing."""
    return sha256(b"vola name 1" + len(salt).to_bytes(4, "big") + salt + name.encode()).hexdigest()
