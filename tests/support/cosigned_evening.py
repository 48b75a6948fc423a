"""A session that phones and another book have cosigned, in a book that has a new key since then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ledger.proofs.checkpoint import public_bytes
from tests.support.api.command_line import run_vola
from tests.support.api.cosigning import cosignature_body, witness_body
from tests.support.api.http_client import RemoteSession
from tests.support.frozen_files import save_response
from tests.support.proofs.cosigned_documents import phone_key
from tests.support.worked_evenings import E1, lines

WITNESS = "kortklubben"


def play_cosigned(url: str) -> RemoteSession:
    """Play three deals, which Ada and Bo confirm, Cilla objects to and another book witnesses, and
    a fourth that nobody has confirmed."""
    phone = RemoteSession(url).open(title="Bekräftad")
    *first, last = list(lines(E1))[:4]
    for line in first:
        assert phone.act(*line.actions()).status == 201
    version = phone.settled()["version"]
    for player in ("p1", "p2"):
        key = public_bytes(phone_key(player)).hex()
        put(phone, f"/cosignatures/{key}", cosignature_body(phone, player, version))
    key = public_bytes(phone_key(WITNESS)).hex()
    put(phone, f"/witnesses/{key}", witness_body(phone, WITNESS, version))
    put(phone, "/objections/p3", {"version": version})
    assert phone.act(*last.actions()).status == 201
    phone.settled()
    return phone


def rotate_key(data: Path, folder: Path, phone: RemoteSession) -> None:
    """Store a receipt and an export signed by the present key, and give the book a new one."""
    folder.mkdir(exist_ok=True)
    version = phone.state()["version"]
    save_response(folder / "receipt-earlier-key.json", phone, f"/receipts/{version - 1}")
    save_response(folder / "export-earlier-key.json", phone, "/export")
    own = {"VOLA_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}
    result = run_vola("key", "--rotate", **own)
    assert result.returncode == 0, result.stderr


def put(phone: RemoteSession, path: str, body: Any) -> None:
    answer = phone.write(path, body, method="PUT")
    assert answer.status < 300, answer.raw
