"""Links that let others in, each also as a QR code.

The token is in the fragment, which browsers do not send to servers.
"""

from typing import Any, Literal
from uuid import UUID

from api.auth.roles import Role
from api.http.lan_address import public_base_url
from api.representations.qr import svg

ShareKind = Literal["s", "c"]
"""A session or a group in the form's addresses; before version 1.0 a group was called a circle."""


def share_path(kind: ShareKind, target_id: UUID, token: str) -> str:
    """Return the path at which the form opens a session or a group."""
    return f"/#/{kind}/{target_id}/{token}"


def share_links(kind: ShareKind, target_id: UUID, tokens: dict[Role, str]) -> list[dict[str, Any]]:
    """Return a link per role, with the address at which other phones reach this server."""
    base, links = public_base_url(), []
    for role, token in tokens.items():
        path = share_path(kind, target_id, token)
        links.append({"role": role, "path": path, "url": base + path, "qr": svg(base + path)})
    return links
