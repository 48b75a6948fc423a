"""A receipt is signed, leads to the current version, and is the same whichever process issues
it."""

import json
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from ledger.events.recorded_event import UnknownSession
from ledger.proofs import signing_key
from ledger.proofs.receipts import ReceiptIssuer, UnknownVersion
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.ledger.store_session import act, play_e1
from tests.support.player_names import mentions
from tests.support.proofs.verifier import verify

PASSED_DEAL = [{"type": "open_deal"}, {"type": "all_pass"}]


def verify_answer(response, **more):
    assert response.status_code == 200, response.text
    return verify.verify_document(response.data, **more)


def test_a_receipt_verifies_now_and_after_more_events(session):
    acknowledged = session.act(*PASSED_DEAL).json["receipt"]
    first = session.get(f"/receipts/{acknowledged['version']}", role="viewer")
    assert {name: first.json[name] for name in acknowledged} == acknowledged
    assert first.headers["ETag"] == f'"{acknowledged["version"]}"'
    session.act(*PASSED_DEAL)
    receipt = session.get(f"/receipts/{acknowledged['version']}")
    for old in (first.data, json.dumps(acknowledged).encode()):
        assert verify_answer(receipt, earlier=old)[:2] == (0, "receipt")
        assert verify_answer(session.get("/export"), earlier=old)[:2] == (0, "export")
    assert receipt.json["head"]["version"] == session.version
    assert receipt.headers["ETag"] == f'"{session.version}"'
    assert (
        receipt.json["checkpoint"] == first.json["checkpoint"]
    )  # the checkpoint of a version never changes


def test_a_receipt_leads_to_any_later_version(session):
    for _ in range(3):
        session.act(*PASSED_DEAL)
    newest = session.version
    for version in range(1, newest + 1):
        for head in range(version, newest + 1):
            receipt = session.get(f"/receipts/{version}?to={head}")
            assert verify_answer(receipt)[:2] == (0, "receipt")
            assert receipt.json["head"]["version"] == head


def test_an_unknown_version_is_reported(session):
    for path in ("0", "99", f"{2**31}", f"{10**30}"):
        refused = session.get(f"/receipts/{path}")
        assert (refused.status_code, refused.json["code"]) == (404, "unknown_version")
    assert session.get("/receipts/1?to=99").json["version"] == 99
    for version in ("0", "x", f"{2**31}"):
        assert session.get(f"/receipts/1?to={version}").status_code == 422


def test_the_key_is_public_and_an_export_needs_a_token(session):
    key = session.client.get("/v1/key").json
    public = session.get("/receipts/1").json["key"]
    words = signing_key.key_words(bytes.fromhex(public))
    assert key == {"algorithm": "Ed25519", "key": public, "words": words}
    keys = session.client.get("/v1/keys").json
    assert keys == {"algorithm": "Ed25519", "key": public, "earlier_keys": []}
    for path in ("/receipts/1", "/export"):
        assert session.client.get(session.path + path).status_code == 404
    export = session.get("/export", role="viewer")
    assert verify_answer(export, key=key["key"])[:2] == (0, "export")
    assert export.headers["Content-Disposition"].startswith("attachment")
    assert not mentions(export.text, "Ada")


def test_processes_that_start_together_create_one_key(urls):
    pools = [database.open_pool(urls.app, size=1) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda pool: ReceiptIssuer(pool).signing_key().public_bytes, pools))
    for pool in pools:
        pool.close()
    with psycopg.connect(urls.audit) as db:
        assert db.execute("SELECT public FROM vola.signing_key").fetchall() == [(keys.pop(),)]
    assert not keys


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE vola.signing_key SET public = public",
        "DELETE FROM vola.signing_key",
        "TRUNCATE vola.signing_key",
        "INSERT INTO vola.signing_key (public, secret) SELECT secret, public FROM vola.signing_key",
        "UPDATE vola.signing_key SET endorsement = NULL",
    ],
)
def test_the_key_cannot_be_replaced(urls, store, attack):
    ReceiptIssuer(store.pool).signing_key()  # creates the key
    for url in (urls.app, urls.owner):
        with psycopg.connect(url) as db, pytest.raises(psycopg.Error):
            db.execute(attack)


def test_only_the_owner_adds_a_key(urls, store):
    ReceiptIssuer(store.pool).signing_key()
    with psycopg.connect(urls.app) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        signing_key.rotate_key(db)


def test_the_auditor_reads_the_public_key_only(urls, store):
    public = ReceiptIssuer(store.pool).signing_key().public_bytes
    with psycopg.connect(urls.audit, autocommit=True) as db:
        assert db.execute("SELECT public FROM vola.signing_key").fetchone() == (public,)
        for column in ("secret", "*"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"SELECT {column} FROM vola.signing_key")


def test_a_cached_tree_issues_the_same_receipt_as_a_new_one(store):
    session_id = play_e1(store, deals=2)
    cached = ReceiptIssuer(store.pool)
    key = cached.signing_key()
    for _ in range(4):
        version = store.load(session_id).version
        for size in (1, version // 2, version):
            new_receipt = ReceiptIssuer(store.pool).issue_receipt(session_id, size, key=key)
            assert cached.issue_receipt(session_id, size, key=key) == new_receipt
        act(store, session_id, PASSED_DEAL)


def test_a_cached_tree_of_a_restored_history_is_not_used(store, urls):
    session_id = play_e1(store, deals=1)
    before, cached = store.load(session_id), ReceiptIssuer(store.pool)
    act(store, session_id, PASSED_DEAL)
    old_receipt = cached.issue_receipt(session_id, store.load(session_id).version)
    with psycopg.connect(urls.super) as db:  # as after restoring a backup
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        for table in ("vola.events", "projections.journal"):
            db.execute(f"DELETE FROM {table} WHERE version > %s", [before.version])
        head = (before.version, before.conflict_version, before.hash)
        db.execute("UPDATE vola.heads SET version = %s, conflict_version = %s, hash = %s", head)
    assert cached.issue_receipt(session_id, 2).head.version == before.version
    act(EventStore(store.pool), session_id, PASSED_DEAL)
    version, key = before.version + 1, cached.signing_key()
    receipt = cached.issue_receipt(session_id, version, key=key)
    assert receipt == ReceiptIssuer(store.pool).issue_receipt(session_id, version, key=key)
    assert receipt.head.note != old_receipt.checkpoint.note


def test_a_receipt_of_an_unknown_version_or_session_is_refused(store):
    session_id = play_e1(store, deals=1)
    receipts = ReceiptIssuer(store.pool)
    for version, head in ((0, None), (99, None), (1, 99)):
        with pytest.raises(UnknownVersion):
            receipts.issue_receipt(session_id, version, head)
    with pytest.raises(UnknownSession):
        receipts.issue_receipt(type(session_id)(int=1), 1)


@pytest.mark.parametrize("query", ["", "?player=p1", "?player=p4"])
def test_a_statement_verifies_with_the_receipt_of_its_version(session, query):
    for _ in range(4):
        session.act(*PASSED_DEAL)
    statement = session.get(f"/statement{query}").json
    signed = session.get(f"/receipts/{statement['version']}").json
    statement |= {name: signed[name] for name in ("checkpoint", "key")}
    assert verify.verify_document(json.dumps(statement).encode())[:2] == (0, "statement")
    statement["balances"]["p1"] += 1
    assert verify.verify_document(json.dumps(statement).encode())[:2] == (1, "sum_wrong")
