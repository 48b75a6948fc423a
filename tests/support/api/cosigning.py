"""Phones and other books that cosign a version through the API."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from uuid import UUID

from werkzeug.test import TestResponse

from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import cosign, cosigner_name
from tests.support.api.http_client import RemoteSession
from tests.support.api.session_client import SessionClient
from tests.support.proofs.cosigned_documents import AT, phone_key


def cosignature_body(
    session: SessionClient | RemoteSession, player: str, version: int, phone: str = ""
) -> dict[str, Any]:
    """Return what a phone of this player sends."""
    checkpoint = session.get(f"/receipts/{version}").json["checkpoint"]
    name = cosigner_name(UUID(session.id), player)
    signature = cosign(phone_key(phone or player), name, note_text(checkpoint), AT)
    return {"version": version, "player": player, "signature": b64encode(signature).decode()}


def put_cosignature(
    session: SessionClient, body: dict[str, Any], phone: str = "", role: str = "viewer"
) -> TestResponse:
    key = public_bytes(phone_key(phone or body["player"])).hex()
    return session.write(f"/cosignatures/{key}", body, method="PUT", role=role)


def witness_body(session: SessionClient | RemoteSession, name: str, version: int) -> dict[str, Any]:
    """Return what a witness of this name sends."""
    text = note_text(session.get(f"/receipts/{version}").json["checkpoint"])
    signature = b64encode(cosign(phone_key(name), name, text, AT)).decode()
    return {"name": name, "version": version, "signature": signature}


def put_witness(
    session: SessionClient, body: dict[str, Any], key_of: str = "", role: str = "viewer"
) -> TestResponse:
    key = public_bytes(phone_key(key_of or body["name"])).hex()
    return session.write(f"/witnesses/{key}", body, method="PUT", role=role)
