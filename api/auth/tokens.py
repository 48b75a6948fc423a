"""Access tokens, derived from the book's secret and never stored.

A token is a MAC of the session or group, the role and a generation. It can be derived again for a
replayed response, and ends when the link's generation is raised. A device has a token of its own,
derived from its number, until it is revoked.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID

from api.auth.roles import ROLES, Role
from ledger.access.session_metadata import Generations
from ledger.events.event_types import UUID_PATTERN

NumberedToken = Literal["phone", "join"]
NUMBERED_TOKEN = re.compile(r"(phone|join)([1-9][0-9]{0,3})\.")
ID = re.compile(UUID_PATTERN)
"""The one spelling of a session's or group's id, so that each has only one URL."""

SESSION_TOKEN = b"vola token 1"
GROUP_TOKEN = b"vola circle token 1"  # a group was called a circle before version 1.0
FIRST_GENERATIONS = Generations(0, 0, 0)


@lru_cache(maxsize=4096)
def derive_token(
    secret: bytes, target_id: UUID, role: Role, generation: int = 0, purpose: bytes = SESSION_TOKEN
) -> str:
    """Return `host0.…`: the role and generation in clear, then a MAC of 256 bits.

    `purpose` separates the tokens of sessions from those of groups.
    """
    return f"{role}{generation}.{_mac(secret, purpose + target_id.bytes, f'{role}.{generation}')}"


def derive_numbered_token(secret: bytes, kind: NumberedToken, session_id: UUID, number: int) -> str:
    """Return `phone3.…`, the token of a device, whose role is looked up; or `join3.…`, with which
    a device reads the answer to its join request."""
    target = f"vola {kind} 1".encode() + session_id.bytes
    return f"{kind}{number}.{_mac(secret, target, str(number))}"


def session_tokens(
    secret: bytes,
    session_id: UUID,
    generations: Generations = FIRST_GENERATIONS,
    purpose: bytes = SESSION_TOKEN,
) -> dict[Role, str]:
    """Return the tokens of a session's links, by default the first ones."""
    return {
        role: derive_token(secret, session_id, role, generation, purpose)
        for role, generation in zip(ROLES, generations, strict=True)
    }


def group_tokens(
    secret: bytes, group_id: UUID, generations: Generations = FIRST_GENERATIONS
) -> dict[Role, str]:
    """Return the tokens of a group's links, none of which gives access to a session."""
    return session_tokens(secret, group_id, generations, GROUP_TOKEN)


def is_same_token(expected: str, token: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(expected.encode(), token.encode())


def device_number(device_id: str) -> int:
    """Return the number in `phone3`; 0, which no device has, for anything else."""
    return 0 if "." in device_id else token_number("phone", f"{device_id}.")


def token_number(kind: NumberedToken, token: str | None) -> int:
    """Return the number in a device's (`phone`) or join request's (`join`) token, else 0."""
    match = NUMBERED_TOKEN.match(token or "")
    return int(match[2]) if match and match[1] == kind else 0


def parse_id(text: Any) -> UUID | None:
    """Return the id if it is written canonically."""
    return _uuid(text) if isinstance(text, str) and ID.fullmatch(text) else None


_uuid = lru_cache(maxsize=4096)(UUID)


def _mac(secret: bytes, target: bytes, claim: str) -> str:
    mac = hmac.digest(secret, target + claim.encode(), sha256)
    return urlsafe_b64encode(mac).decode().rstrip("=")
