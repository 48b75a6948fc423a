"""`vola witness` against running servers, and the files that it writes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.support.api.command_line import invoke_vola
from tests.support.api.http_client import Phone
from tests.support.databases import DatabaseUrls
from tests.support.proofs.verifier import verify
from tests.verification.attack import forger
from tests.verification.attack.forger import Event, Forger

ALL_PASS = ({"type": "open_deal"}, {"type": "all_pass"})


def invite_link(phone: Phone, role: str = "viewer", url: str = "") -> str:
    return f"{url or phone.url}/#/s/{phone.id}/{phone.tokens[role]}"


def run_witness(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the witness of this data folder once."""
    result = invoke_vola("witness", "--once", *arguments, VOLA_DATA=str(data))
    assert "Traceback" not in result.stderr, result.stderr
    return result


def witnessed_versions(phone: Phone) -> list[int]:
    return [w["version"] for w in phone.get("/cosignatures").json["witnesses"]]


def read_contradiction(data: Path, phone: Phone) -> Any:
    return json.loads((data / "witness" / f"contradiction-{phone.id}.json").read_text())


def judge_contradiction(document: Any) -> tuple[int, str, int | None]:
    """Return verify.py's verdict on the received document, compared with the kept one."""
    return verify.verify_document(*verify.split_contradiction(json.dumps(document).encode()))


def rewrite_session(
    urls: DatabaseUrls,
    phone: Phone,
    change: Callable[[list[Event]], list[Event]],
    *,
    witnesses: bool = False,
) -> None:
    """Change a session as somebody with the whole database could, without a trace in it;
    `witnesses` leaves the witnesses' signatures there."""
    with pytest.MonkeyPatch.context() as patch, psycopg.connect(urls.super) as db:
        patch.setattr(forger, "DISABLE_GUARDS", forger.DISABLE_GUARDS[:1])
        attack = Forger(db, UUID(phone.id), Random(1), [])
        attack.rewrite(change(attack.history()))
        if not witnesses:
            db.execute("DELETE FROM vola.witnesses WHERE session_id = %s", (phone.id,))


def a_microsecond_earlier(events: list[Event]) -> list[Event]:
    for event in events:
        event.at -= 1
    return events
