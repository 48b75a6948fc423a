"""The link that a printed statement carries: it shows that statement and nothing else.

It contains what was printed and is signed with the server's secret. So it needs no account, nothing
is stored for it, and it cannot be altered to show something else. Reads no request.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Self
from uuid import UUID

import msgspec

MAC_BYTES, HASH_BYTES, FIGURES_BYTES = 16, 16, 8
MAX_CHARACTERS = 1000
LINK_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


class StatementLink(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Of a session at a version, or of a group's sessions at a time; unused filters are empty.

    `history` and `figures` are digests of the events and of the figures at the time of printing.
    The order of the fields is that of the bytes in links already printed.
    """

    subject: bytes  # the id of the session or group
    group: bool
    upto: int  # the version; of a group the time, in microseconds
    session_count: int  # of a group: the number of its last session then
    holder: str
    unit: str  # of a group the currency
    since: str
    until: str
    zone: str
    language: str
    history: bytes
    figures: bytes

    @property
    def subject_id(self) -> UUID:
        return UUID(bytes=self.subject)

    @property
    def arguments(self) -> dict[str, str]:
        """The query that a client with access to the session, or the group, would send."""
        holder, unit = ("member", "currency") if self.group else ("player", "unit")
        arguments = {"from": self.since, "to": self.until, "tz": self.zone}
        arguments |= {holder: self.holder, unit: self.unit, "format": "html"}
        return {name: value for name, value in arguments.items() if value}

    def encode(self, secret: bytes) -> str:
        """Return the last part of the address."""
        message = msgspec.msgpack.encode(self)
        return urlsafe_b64encode(_mac(secret, message) + message).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str, secret: bytes) -> Self | None:
        """Return the link, or None for a text that this server has not signed."""
        if len(text) > MAX_CHARACTERS or not LINK_PATTERN.fullmatch(text):
            return None
        with suppress(ValueError, msgspec.DecodeError):  # no base64, or a link of a newer version
            raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
            mac, message = raw[:MAC_BYTES], raw[MAC_BYTES:]
            if hmac.compare_digest(mac, _mac(secret, message)):
                link = msgspec.msgpack.decode(message, type=cls)
                return link if link.encode(secret) == text else None
        return None


def history_digest(hashes: Iterable[bytes]) -> bytes:
    """Return the digest of the sessions' last hashes that a link contains."""
    return sha256("".join(map(bytes.hex, hashes)).encode()).digest()[:HASH_BYTES]


def _mac(secret: bytes, message: bytes) -> bytes:
    return hmac.digest(secret, b"vola statement link 1" + message, "sha256")[:MAC_BYTES]
