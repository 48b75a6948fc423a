"""Each event sealed to the one before it, so that no krona can be moved in silence.

The seal covers session, version, type, schema, time, writer, a digest of the canonical bytes, and
the seal before; every field is preceded by its length, so that no two histories share the bytes
that are hashed. Nothing is serialised again before hashing: the stored bytes are what is sealed.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

DOMAIN = b"vola event 1"
FIRST = bytes(32)
"""What stands before the first event."""

Seal = Callable[[int, bytes, int, int, bytes, bytes, bytes], bytes]
"""From version, type, schema, time (microseconds, UTC), writer, data and the seal before: 32 bytes
that stand for this event and everything before it. OverflowError for what no field can hold."""


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
    """The same of one event, whose text is still text."""
    made = sealing(session_id)
    return made(version, kind.encode(), schema, at, by.encode(), data.encode(), before)


@lru_cache(maxsize=1024)
def sealing(session_id: UUID) -> Seal:
    """How events of this session are sealed, as fast as they are hashed: what is the same in event
    after event is made once."""
    begins = _field(DOMAIN) + _field(session_id.bytes) + OF_8

    def seal(
        version: int, kind: bytes, schema: int, at: int, by: bytes, data: bytes, before: bytes
    ) -> bytes:
        fields = (
            begins,
            version.to_bytes(8, "big"),
            _type(kind, schema),
            OF_8,
            at.to_bytes(8, "big"),
            _writer(by),
            OF_32,
            sha256(data).digest(),
            OF_32,
            before,
        )
        return sha256(b"".join(fields)).digest()

    return seal


OF_8, OF_32 = (8).to_bytes(4, "big"), (32).to_bytes(4, "big")  # as long as a number, as a digest


def _field(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


@lru_cache(maxsize=1024)
def _type(kind: bytes, schema: int) -> bytes:
    return _field(kind) + _field(schema.to_bytes(4, "big"))


@lru_cache(maxsize=1024)
def _writer(by: bytes) -> bytes:
    return _field(by)


def commitment(salt: bytes, name: str) -> str:
    """Stands for a name until name and salt are erased; after that it tells nothing."""
    return sha256(b"vola name 1" + len(salt).to_bytes(4, "big") + salt + name.encode()).hexdigest()
