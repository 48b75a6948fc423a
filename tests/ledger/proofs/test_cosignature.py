"""Cosignatures in the database: only added, and audited against the events."""

import psycopg
import pytest

from ledger.audit.run import audit_session
from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import Cosignature, cosign, cosigner_name
from ledger.proofs.receipts import ReceiptIssuer
from tests.support.ledger.store_session import play_e1
from tests.support.proofs.cosigned_documents import AT, phone_key


@pytest.fixture
def cosigned_session(store):
    """A session of two deals whose last version Ada's phone has cosigned."""
    session_id = play_e1(store, deals=2)
    version, issuer, key = (
        store.load(session_id).version,
        ReceiptIssuer(store.pool),
        phone_key("p1"),
    )
    text = note_text(issuer.issue_receipt(session_id, version).checkpoint.note)
    signature = cosign(key, cosigner_name(session_id, "p1"), text, AT)
    issuer.cosign(
        session_id,
        Cosignature(version=version, player="p1", key=public_bytes(key), signature=signature),
    )
    return session_id


def audit_codes(urls, session_id):
    with psycopg.connect(urls.audit) as db:
        return [finding.code for finding in audit_session(db, session_id)]


@pytest.mark.parametrize(
    ("attack", "code"),
    [
        ("UPDATE vola.cosignatures SET player_id = 'p2'", "cosignature_wrong"),
        ("UPDATE vola.cosignatures SET version = 3", "cosignature_wrong"),
        ("UPDATE vola.cosignatures SET version = 999", "tail_missing"),
        ("UPDATE vola.cosignatures SET key = sha256('')", "cosignature_wrong"),
        (
            "UPDATE vola.cosignatures SET signature = set_byte(signature, 70, 1)",
            "cosignature_wrong",
        ),
    ],
)
def test_the_audit_finds_a_cosignature_of_another_history(urls, cosigned_session, attack, code):
    assert audit_codes(urls, cosigned_session) == []
    with psycopg.connect(urls.super) as db:
        db.execute(attack)
    assert audit_codes(urls, cosigned_session) == [code]


def test_the_app_can_only_add_cosignatures(urls, cosigned_session):
    for attack in ("UPDATE vola.cosignatures SET version = 1", "DELETE FROM vola.cosignatures"):
        with psycopg.connect(urls.app) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(attack)
