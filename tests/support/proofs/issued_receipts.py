"""Receipts in the API's format, issued by the real issuer over any database connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from ledger.proofs.receipts import ReceiptIssuer
from ledger.proofs.signing_key import SigningKey

Doc = dict[str, Any]


class OpenConnection:
    """A pool that lends one open connection, so that an uncommitted forgery can be signed."""

    def __init__(self, db: Any) -> None:
        self.db = db

    @contextmanager
    def connection(self) -> Iterator[Any]:
        yield self.db


def receipt_issuer(db: Any) -> ReceiptIssuer:
    """Return an issuer with an empty cache."""
    return ReceiptIssuer(OpenConnection(db))  # type: ignore[arg-type]


def receipt_document(
    issuer: ReceiptIssuer,
    session: UUID,
    version: int,
    head: int | None = None,
    key: SigningKey | None = None,
) -> Doc:
    """Return the response to `GET /v1/sessions/{id}/receipts/{version}?to={head}`, signed with
    `key` if it is given."""
    receipt = issuer.issue_receipt(session, version, head, key)
    return {
        "format": "vola receipt 1",
        "session": str(receipt.session_id),
        **receipt.checkpoint.json_fields(),
        **receipt.key.json_fields(),
        "head": receipt.head.json_fields(),
        "inclusion": [node.hex() for node in receipt.inclusion],
        "consistency": [node.hex() for node in receipt.consistency],
    }
