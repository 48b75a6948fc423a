"""Links that let a witness in: `https://HOST/#/s/SESSION/TOKEN`, or `/#/c/GROUP/TOKEN`.

A token is a secret, so no error repeats a link.
"""

import re
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit
from uuid import UUID

from api.http.lan_address import HOST
from api.representations.share_links import ShareKind
from ledger.events.event_types import UUID_PATTERN

LINK = re.compile(rf"/([sc])/({UUID_PATTERN})/([A-Za-z0-9._-]{{8,128}})")


class InvalidLink(Exception):
    """This is no link to a session or a group."""


@dataclass(frozen=True)
class Server:
    """Where another book is served."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True)
class InviteLink:
    """A session (`s`) or a group (`c`) at a server, and the token that gives access to it."""

    server: Server
    kind: ShareKind
    id: UUID
    token: str = field(repr=False)


def parse_link(text: str) -> InviteLink:
    """Return the link in this text. Raise InvalidLink."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise InvalidLink from None
    is_plain = parts.path in ("", "/") and not parts.query and HOST.fullmatch(parts.netloc)
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise InvalidLink
    server = Server(parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80))
    return link_at(server, f"/#{parts.fragment}")


def link_at(server: Server, path: str) -> InviteLink:
    """Return the link at a path, as a group's response has for each session. Raise InvalidLink."""
    match = LINK.fullmatch(path.removeprefix("/#"))
    if match is None:
        raise InvalidLink
    return InviteLink(server, cast(ShareKind, match[1]), UUID(match[2]), match[3])
