"""Links that let others in, each also as a QR code; the token is in the fragment, which browsers
never send."""

import re
from typing import Any
from uuid import UUID

from flask import request

from api.access import Role
from api.addresses import for_phones
from api.problems import Problem
from api.qr import svg


def path(kind: str, to: UUID, right: str) -> str:
    """Where the form opens it: `s` a session, `c` a circle."""
    return f"/#/{kind}/{to}/{right}"


def links(kind: str, to: UUID, rights: dict[Role, str]) -> list[dict[str, Any]]:
    """One per role, as other phones reach this server."""
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", request.host):
        raise Problem(400, "malformed")  # it would stand in the links
    found = []
    for role, right in rights.items():
        here = path(kind, to, right)
        url = for_phones(request.host_url).rstrip("/") + here
        found.append({"role": role, "path": here, "url": url, "qr": svg(url)})
    return found
