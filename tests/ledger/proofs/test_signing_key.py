"""The signing key is rotated: the earlier key endorses the next, and what it signed stays valid."""

import json

import psycopg
import pytest

from ledger.audit.check_receipts import read_receipts
from ledger.audit.run import audit_session
from ledger.proofs import signing_key
from ledger.proofs.receipts import ReceiptIssuer
from ledger.transfer.export import export_session
from tests.support.ledger.store_session import play_e1
from tests.support.proofs.verifier import verify


@pytest.fixture
def rotate(urls):
    def rotate():
        with psycopg.connect(urls.owner) as db:
            return signing_key.rotate_key(db)

    return rotate


def receipt_document(store, session_id, version):
    receipt = ReceiptIssuer(store.pool).issue_receipt(session_id, version)
    own, head = receipt.checkpoint, receipt.head
    fields = [
        {
            "version": signed.version,
            "hash": signed.hash.hex(),
            "at": verify.iso_time(signed.at),
            "checkpoint": signed.note,
        }
        for signed in (own, head)
    ]
    return json.dumps(
        {
            "format": "vola receipt 1",
            "session": str(session_id),
            **receipt.key.json_fields(),
            **fields[0],
            "head": fields[1],
            "inclusion": [node.hex() for node in receipt.inclusion],
            "consistency": [node.hex() for node in receipt.consistency],
        }
    ).encode()


def test_what_the_earlier_key_signed_stays_valid(store, rotate, urls):
    session_id = play_e1(store, deals=2)
    issuer = ReceiptIssuer(store.pool)
    earlier_receipt, earlier = receipt_document(store, session_id, 5), issuer.signing_key()
    new_key = rotate()
    assert issuer.signing_key() is not earlier, "a running server signs with the new key at once"
    exported = export_session(store, issuer, session_id).encode()
    assert json.loads(exported)["key"] == new_key.public_bytes.hex() != earlier.public_bytes.hex()
    for known in (earlier.public_bytes.hex(), new_key.public_bytes.hex(), None):
        assert verify.verify_document(exported, earlier_receipt, known)[0] == 0
    with psycopg.connect(urls.audit) as db:
        receipts = read_receipts(earlier_receipt)
        assert not list(audit_session(db, session_id, receipts))


def test_a_key_that_the_owner_of_the_database_put_in_is_found(store, rotate, urls):
    session_id = play_e1(store, deals=1)
    issuer = ReceiptIssuer(store.pool)
    receipt, earlier = receipt_document(store, session_id, 3), issuer.signing_key()
    new_key = rotate()
    with psycopg.connect(urls.owner) as db:  # without an endorsement
        db.execute("ALTER TABLE vola.signing_key DISABLE TRIGGER signing_key_is_permanent")
        db.execute("UPDATE vola.signing_key SET endorsement = 'mine' WHERE number = 2")
        db.execute("ALTER TABLE vola.signing_key ENABLE TRIGGER signing_key_is_permanent")
    exported = export_session(store, issuer, session_id).encode()
    assert verify.verify_document(exported, receipt)[:2] == (1, "other_key")
    assert verify.verify_document(exported, None, earlier.public_bytes.hex())[1] == "other_key"
    with psycopg.connect(urls.audit) as db:
        assert signing_key.endorsed_keys(db) == {new_key.public_bytes}
        findings = list(audit_session(db, session_id, read_receipts(receipt)))
    assert [finding.code for finding in findings] == ["key_changed"] * 2


def test_keys_are_rotated_one_after_another(store, rotate):
    first = ReceiptIssuer(store.pool).signing_key()
    keys = [first.public_bytes, *(rotate().public_bytes for _ in range(3))]
    newest = ReceiptIssuer(store.pool).signing_key()
    assert [earlier.key for earlier in newest.earlier_keys] == keys[:-1]
    assert newest.public_bytes == keys[-1]
    with store.pool.connection() as db:
        assert signing_key.endorsed_keys(db) == set(keys)


def test_words_tell_keys_apart():
    zero, one = bytes(32), b"\1" + bytes(31)
    assert signing_key.key_words(zero) == signing_key.key_words(zero)
    assert signing_key.key_words(zero) != signing_key.key_words(one)
    assert all(len(word) == 5 for word in signing_key.key_words(one).split())
