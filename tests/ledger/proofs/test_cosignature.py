"""Cosignatures in the database are only added, and are audited against the events."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import psycopg
import pytest
from msgspec.structs import replace

from ledger.audit.check_receipts import NotAReceipt, read_receipts
from ledger.audit.run import audit_session
from ledger.proofs import receipts, witnesses
from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.cosignature import Cosignature, cosign
from ledger.proofs.receipts import ReceiptIssuer, TooManyCosignatures
from ledger.proofs.witnesses import TooManyWitnesses, Witness
from ledger.transfer.export import export_session
from tests.support.ledger.store_session import play_e1
from tests.support.proofs.cosigned_documents import AT, COSIGNED, phone_key
from tests.support.proofs.cosigned_sessions import cosign_newest, witness_newest
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.tampered_exports import VALID_KINDS
from tests.support.proofs.verifier import verify


@pytest.fixture
def cosigned_session(store):
    """A session of two deals whose last version Ada's phone has cosigned."""
    session_id = play_e1(store, deals=2)
    cosign_newest(store, session_id, "p1")
    return session_id


@pytest.fixture
def witnessed_session(store):
    """A session of two deals whose last version another book has cosigned."""
    session_id, issuer, key = play_e1(store, deals=2), ReceiptIssuer(store.pool), phone_key("bo")
    version = store.load(session_id).version
    text = note_text(issuer.issue_receipt(session_id, version).checkpoint.note)
    signature = cosign(key, "bo", text, AT)
    witness = Witness(name="bo", key=public_bytes(key), version=version, signature=signature)
    issuer.add_witness(session_id, witness)
    return session_id


@pytest.mark.parametrize(
    ("attack", "code"),
    [
        ("UPDATE vola.witnesses SET name = 'p1'", "cosignature_wrong"),
        ("UPDATE vola.witnesses SET version = 3", "cosignature_wrong"),
        ("UPDATE vola.witnesses SET version = 999", "tail_missing"),
        ("UPDATE vola.witnesses SET key = sha256('')", "cosignature_wrong"),
    ],
)
def test_the_audit_finds_a_witness_of_another_history(urls, witnessed_session, attack, code):
    assert audit_codes(urls, witnessed_session) == []
    with psycopg.connect(urls.super) as db:
        db.execute(attack)
    assert audit_codes(urls, witnessed_session) == [code]


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
            "UPDATE vola.cosignatures SET signature ="
            " set_byte(signature, 70, get_byte(signature, 70) # 1)",
            "cosignature_wrong",
        ),
    ],
)
def test_the_audit_finds_a_cosignature_of_another_history(urls, cosigned_session, attack, code):
    assert audit_codes(urls, cosigned_session) == []
    with psycopg.connect(urls.super) as db:
        db.execute(attack)
    assert audit_codes(urls, cosigned_session) == [code]


@pytest.mark.parametrize("way", COSIGNED)
def test_the_audit_reads_the_cosignatures_that_a_verifier_accepts(way):
    """The verifier alone checks proofs of continuation: the audit has the history itself."""
    code, document = COSIGNED[way]
    raw = encode_document(document(SignedBook(Random(way), 8), Random(1)))
    assert (verify.verify_document(raw)[0] == 0) == (code in VALID_KINDS)
    if code in ("cosignature_wrong", "witness_wrong", "checkpoint_wrong", "unreadable"):
        with pytest.raises(NotAReceipt):
            read_receipts(raw)
    else:
        assert len(read_receipts(raw)) >= 2, "its own version, and the cosigned one"


def test_a_document_with_cosignatures_of_a_rewritten_history_is_found(
    store, urls, cosigned_session
):
    raw = export_session(store, ReceiptIssuer(store.pool), cosigned_session).encode()
    claims = read_receipts(raw)
    assert [claim.version for claim in claims] == [store.load(cosigned_session).version] * 2
    with psycopg.connect(urls.audit) as db:
        assert not audit_session(db, cosigned_session, claims)
        rewritten = [replace(claim, hash=bytes(32)) for claim in claims]
        codes = [finding.code for finding in audit_session(db, cosigned_session, rewritten)]
    assert codes == ["rewritten"] * 2


def assert_one_is_stored(urls, store_first, store_second, refusal):
    """Assert that of two writes at the same time only the first is stored."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with psycopg.connect(urls.super, autocommit=True) as db, ThreadPoolExecutor(1) as thread:
        with psycopg.connect(urls.app) as first:
            store_first(first)
            second = thread.submit(store_second)
            while not db.execute(waiting).fetchone()[0] and not second.done():
                pass
        with pytest.raises(refusal):
            second.result(20)


def test_phones_at_the_same_time_do_not_pass_the_limit(store, urls, monkeypatch):
    monkeypatch.setattr(receipts, "MAX_COSIGNATURES", 2)
    session_id, issuer = play_e1(store, deals=2), ReceiptIssuer(store.pool)
    cosign_newest(store, session_id, "p1")
    version = store.load(session_id).version
    unread = Cosignature(version=version, player="p2", key=bytes(32), signature=bytes(76))
    assert_one_is_stored(
        urls,
        lambda db: receipts.store_cosignature(db, session_id, unread, receipts.MAX_COSIGNATURES),
        lambda: cosign_newest(store, session_id, "p3"),
        TooManyCosignatures,
    )
    assert [stored.player for stored in issuer.list_cosignatures(session_id)] == ["p1", "p2"]


def test_witnesses_at_the_same_time_do_not_pass_the_limit(store, urls, monkeypatch):
    monkeypatch.setattr(witnesses, "MAX_WITNESSES", 2)
    session_id, issuer = play_e1(store, deals=2), ReceiptIssuer(store.pool)
    witness_newest(store, session_id, "ada")
    version = store.load(session_id).version
    unread = Witness(name="bo", key=bytes(32), version=version, signature=bytes(76))
    assert_one_is_stored(
        urls,
        lambda db: witnesses.store_witness(db, session_id, unread),
        lambda: witness_newest(store, session_id, "cilla"),
        TooManyWitnesses,
    )
    assert [stored.name for stored in issuer.list_witnesses(session_id)] == ["ada", "bo"]


def test_the_app_can_only_add_cosignatures(urls, cosigned_session):
    for attack in ("UPDATE vola.cosignatures SET version = 1", "DELETE FROM vola.cosignatures"):
        with psycopg.connect(urls.app) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(attack)
