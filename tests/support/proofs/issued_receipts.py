"""Receipts as the API sends them, issued by the real issuer over any database connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.representations.session import receipt_view
from ledger.proofs.receipts import ReceiptIssuer, SignedCheckpoint

Doc = dict[str, Any]


class OpenConnection:
    """A pool that lends one connection, so that what a transaction has forged can be signed."""

    def __init__(self, db: Any) -> None:
        self.db = db

    @contextmanager
    def connection(self) -> Iterator[Any]:
        yield self.db


def issuer_over(db: Any, key: Ed25519PrivateKey | None = None) -> ReceiptIssuer:
    """Return an issuer that has seen nothing yet; with `key`, one that signs with this key."""
    issuer = ReceiptIssuer(OpenConnection(db))  # type: ignore[arg-type]
    if key is not None:
        issuer.signing_key.__dict__["private_key"] = key
    return issuer


def receipt_document(
    issuer: ReceiptIssuer, session: UUID, version: int, head: int | None = None
) -> Doc:
    """Return what `GET /v1/sessions/{id}/receipts/{version}?to={head}` answers."""
    receipt = issuer.issue_receipt(session, version, head)
    return {
        "format": "vola receipt 1",
        "session": str(receipt.session_id),
        **_signed(receipt.checkpoint),
        "key": receipt.key.hex(),
        "head": _signed(receipt.head),
        "inclusion": [node.hex() for node in receipt.inclusion],
        "consistency": [node.hex() for node in receipt.consistency],
    }


def _signed(signed: SignedCheckpoint) -> Doc:
    return {**receipt_view(signed.version, signed.hash, signed.at), "checkpoint": signed.note}
