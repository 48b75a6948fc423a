"""Ids of new sessions."""

import secrets
import time
from uuid import UUID


def new_session_id() -> UUID:
    """Return a UUID of version 7 (RFC 9562 §5.7): milliseconds since 1970, then 74 random bits.

    The rows of a new session thus go to the end of every index. At random places they would split
    pages that are full, and leave them half empty.
    """
    milliseconds, random = time.time_ns() // 1_000_000, secrets.randbits(74)
    return UUID(int=milliseconds << 80 | 7 << 76 | random >> 62 << 64 | 0b10 << 62 | random % 2**62)
