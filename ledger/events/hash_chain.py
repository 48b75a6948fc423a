"""What is hashed: each event together with the hash of the event before it.

The hash covers `DOMAIN`, session id, version, type, schema, time, writer, the SHA-256 of the
canonical bytes (codec.py) and the previous hash. Every field is preceded by its length, so that two
different histories never give the same input. The stored bytes are hashed as they are.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

import msgspec

DOMAIN = b"vola event 1"
GROUP_DOMAIN = b"vola group event 1"
"""Replaces `DOMAIN` in the events of a group; the group's id then replaces the session's."""
GENESIS_HASH = bytes(32)
"""The previous hash of the first event."""

LENGTH_8, LENGTH_32 = (8).to_bytes(4, "big"), (32).to_bytes(4, "big")
"""The length fields before a number and before a hash."""

EventHasher = Callable[[int, bytes, int, int, bytes, bytes, bytes], bytes]
"""Returns the hash (32 bytes) of version, type, schema, time (microseconds, UTC), writer, data and
previous hash."""


class HashedFields(msgspec.Struct, frozen=True):
    """The fields of an event that its hash covers, in the order in which they are stored."""

    version: int  # 1, 2, 3 … within the session
    type: str
    schema: int
    at: int  # microseconds since 1970, UTC
    # a link (`host.0`), a device (`phone3`), `worker`, or `circle`: the group, when a later session
    # takes over what this one left open
    by: str
    data: str  # canonical bytes, as text


def hash_event(
    stream_id: UUID, event: HashedFields, previous_hash: bytes, domain: bytes = DOMAIN
) -> bytes:
    """Return the hash of one event."""
    return event_hasher(stream_id, domain)(
        event.version,
        event.type.encode(),
        event.schema,
        event.at,
        event.by.encode(),
        event.data.encode(),
        previous_hash,
    )


@lru_cache(maxsize=1024)
def event_hasher(stream_id: UUID, domain: bytes = DOMAIN) -> EventHasher:
    """Return a function that hashes events of this session, or of this group with `GROUP_DOMAIN`;
    constant fields are encoded once."""
    prefix = _field(domain) + _field(stream_id.bytes) + LENGTH_8

    def hash_fields(
        version: int, type_: bytes, schema: int, at: int, by: bytes, data: bytes, previous: bytes
    ) -> bytes:
        fields = (
            prefix,
            version.to_bytes(8, "big"),
            _type_fields(type_, schema),
            at.to_bytes(8, "big", signed=True),  # before 1970 if somebody has tampered with it
            _writer_field(by),
            sha256(data).digest(),
            LENGTH_32,
            previous,
        )
        return sha256(b"".join(fields)).digest()

    return hash_fields


@lru_cache(maxsize=1024)
def _type_fields(kind: bytes, schema: int) -> bytes:
    """Encode type and schema, which few events differ in, and the length of the time after them."""
    return _field(kind) + _field(schema.to_bytes(4, "big")) + LENGTH_8


@lru_cache(maxsize=1024)
def _writer_field(by: bytes) -> bytes:
    """Encode the writer, and the length of the digest after it."""
    return _field(by) + LENGTH_32


def _field(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def commit_to_name(salt: bytes, name: str) -> str:
    """Return a commitment to a name; it reveals nothing once the salt is deleted."""
    return sha256(b"vola name 1" + len(salt).to_bytes(4, "big") + salt + name.encode()).hexdigest()
