"""`vola witness` against running servers, and the files that it writes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from tests.support.api.command_line import invoke_vola
from tests.support.api.http_client import RemoteSession
from tests.support.databases import DatabaseUrls
from tests.support.proofs.verifier import verify
from tests.support.session_forger import Change, rewrite_session

ALL_PASS = ({"type": "open_deal"}, {"type": "all_pass"})


def invite_link(phone: RemoteSession, role: str = "viewer", url: str = "") -> str:
    return f"{url or phone.url}/#/s/{phone.id}/{phone.tokens[role]}"


def run_witness(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the witness of this data folder once."""
    result = invoke_vola("witness", "--once", *arguments, VOLA_DATA=str(data))
    assert "Traceback" not in result.stderr, result.stderr
    return result


def witnessed_versions(phone: RemoteSession) -> list[int]:
    return [w["version"] for w in phone.get("/cosignatures").json["witnesses"]]


def read_contradiction(data: Path, phone: RemoteSession) -> Any:
    return json.loads((data / "witness" / f"contradiction-{phone.id}.json").read_text())


def judge_contradiction(document: Any) -> tuple[int, str, int | None]:
    """Return verify.py's verdict on the received document, compared with the kept one."""
    return verify.verify_document(*verify.split_contradiction(json.dumps(document).encode()))


def rewrite_without_witnesses(urls: DatabaseUrls, phone: RemoteSession, change: Change) -> None:
    """Rewrite a session, and delete the signatures of its witnesses."""
    rewrite_session(urls, phone.id, change)
    with psycopg.connect(urls.super) as db:
        db.execute("DELETE FROM vola.witnesses WHERE session_id = %s", (phone.id,))
