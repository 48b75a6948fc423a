"""Stored sessions that phones have cosigned."""

from __future__ import annotations

from uuid import UUID

from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import Cosignature, cosign, cosigner_name
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.event_store import EventStore
from tests.support.proofs.cosigned_documents import AT, phone_key


def cosign_newest(store: EventStore, session_id: UUID, player: str) -> int:
    """Let a player's phone cosign the last version of a session; return the version."""
    issuer, key = ReceiptIssuer(store.pool), phone_key(player)
    version = store.load(session_id).version
    text = note_text(issuer.issue_receipt(session_id, version).checkpoint.note)
    signature = cosign(key, cosigner_name(session_id, player), text, AT)
    cosignature = Cosignature(
        version=version, player=player, key=public_bytes(key), signature=signature
    )
    issuer.cosign(session_id, cosignature)
    return version
