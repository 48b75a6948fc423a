"""Bodies of requests that import earlier evenings into a group."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "ledger" / "transfer" / "csv_table" / "data"


def real_file(name: str) -> bytes:
    return (DATA / name).read_bytes()


def import_body(content: bytes, **more: Any) -> dict[str, Any]:
    """Return a request body with this file, and no choices but those in `more`."""
    return {"file": b64encode(content).decode(), "currency": "SEK", **more}
