"""Stored sessions that phones and other books have cosigned."""

from __future__ import annotations

from uuid import UUID

from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import Cosignature, cosign, cosigner_name
from ledger.proofs.receipts import ReceiptIssuer
from ledger.proofs.witnesses import Witness
from ledger.store.event_store import EventStore
from tests.support.proofs.cosigned_documents import AT, phone_key


def cosign_newest(store: EventStore, session_id: UUID, player: str) -> int:
    """Let a player's phone cosign the last version of a session; return the version."""
    version, signature = sign_newest(store, session_id, player, cosigner_name(session_id, player))
    key = public_bytes(phone_key(player))
    cosignature = Cosignature(version=version, player=player, key=key, signature=signature)
    ReceiptIssuer(store.pool).cosign(session_id, cosignature)
    return version


def witness_newest(store: EventStore, session_id: UUID, name: str) -> int:
    """Let another book witness the last version of a session; return the version."""
    version, signature = sign_newest(store, session_id, name, name)
    key = public_bytes(phone_key(name))
    witness = Witness(name=name, key=key, version=version, signature=signature)
    ReceiptIssuer(store.pool).add_witness(session_id, witness)
    return version


def sign_newest(store: EventStore, session_id: UUID, owner: str, name: str) -> tuple[int, bytes]:
    """Return the last version of a session, and its signature by the owner's key under this
    name."""
    version = store.load(session_id).version
    text = note_text(ReceiptIssuer(store.pool).issue_receipt(session_id, version).checkpoint.note)
    return version, cosign(phone_key(owner), name, text, AT)
