"""Where this server is for whoever reads a printed page: without any token."""

import re
from uuid import UUID

from flask import request

from api.addresses import for_phones
from api.problems import Problem


def here() -> str:
    """Its address, which will be printed. Problem when the request names no such host."""
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", request.host):
        raise Problem(400, "malformed")
    return for_phones(request.host_url).rstrip("/")


def receipt(here: str, session_id: UUID, version: int) -> str:
    return f"{here}/v1/sessions/{session_id}/receipts/{version}"
