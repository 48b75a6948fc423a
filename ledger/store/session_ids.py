"""Ids of new sessions."""

import secrets
import time
from uuid import UUID

VERSION, VARIANT = 0x7 << 76, 0b10 << 62
RANDOM_BITS = ~(0xF << 76 | 0b11 << 62) & (1 << 80) - 1


def new_session_id() -> UUID:
    """Return a UUID of version 7 (RFC 9562 §5.7): milliseconds since 1970, then 74 random bits.

    The rows of a new session thus go to the end of every index. At random places they would split
    pages that are full, and leave them half empty.
    """
    milliseconds = time.time_ns() // 1_000_000
    return UUID(int=milliseconds << 80 | VERSION | VARIANT | secrets.randbits(80) & RANDOM_BITS)
