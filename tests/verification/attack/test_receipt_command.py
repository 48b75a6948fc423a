"""`vola audit --receipt` compares a saved receipt with the ledger."""

import json

import psycopg
import pytest

from ledger.events.timestamps import format_timestamp
from ledger.proofs.receipts import ReceiptIssuer
from tests.support.api.command_line import assert_refused, invoke_vola
from tests.support.ledger.store_session import play_e1
from tests.support.proofs.issued_receipts import receipt_document
from tests.support.proofs.tampered_statements import flip_signature_bit
from tests.support.proofs.verifier import verify


@pytest.fixture
def saved_receipt(store, tmp_path):
    """A session, and the file with its last receipt."""
    session_id = play_e1(store, deals=2)
    session = store.load(session_id)
    receipt = {
        "version": session.version,
        "hash": session.hash.hex(),
        "at": format_timestamp(session.at),
    }
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps({"events": [], "receipt": receipt}))
    return session_id, file, receipt


def test_a_valid_receipt_is_no_finding(environment, saved_receipt):
    session_id, file, _ = saved_receipt
    result = invoke_vola("audit", str(session_id), "--receipt", str(file), **environment)
    assert (result.returncode, result.stdout) == (0, "1 session, no findings\n")


def test_a_receipt_that_does_not_hold_is_a_finding(environment, saved_receipt):
    session_id, file, receipt = saved_receipt
    later_receipt = {**receipt, "version": receipt["version"] + 1}
    file.write_text(json.dumps(later_receipt))
    result = invoke_vola("audit", str(session_id), "--json", "--receipt", str(file), **environment)
    assert result.returncode == 1
    assert json.loads(result.stdout)["code"] == "tail_missing"


def test_a_receipt_of_a_deleted_session_is_a_finding(environment, saved_receipt, urls):
    session_id, file, receipt = saved_receipt
    file.write_text(json.dumps({"session": str(session_id), **receipt}))
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        for table in ("sessions", "heads", "events", "players", "stored_replies", "creation_keys"):
            db.execute(f"DELETE FROM vola.{table}")
        for table in ("payments", "journal"):
            db.execute(f"DELETE FROM projections.{table}")
    assert invoke_vola("audit", **environment).returncode == 0, "without a receipt nothing shows"
    result = invoke_vola("audit", "--receipt", str(file), **environment)
    assert result.returncode == 1
    assert str(session_id) in result.stdout


def test_a_receipt_that_names_no_evening_needs_one(environment, saved_receipt):
    assert_refused(
        invoke_vola("audit", "--receipt", str(saved_receipt[1]), **environment), "name the session"
    )


def test_a_receipt_of_another_evening_is_refused(environment, saved_receipt):
    session_id, file, receipt = saved_receipt
    other_id = "00000000-0000-4000-8000-000000000000"
    file.write_text(json.dumps({"session": other_id, **receipt}))
    assert_refused(
        invoke_vola("audit", str(session_id), "--receipt", str(file), **environment), other_id
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "Cannot read"), ("no receipt", "is no receipt and no statement")],
)
def test_a_file_that_is_no_receipt_is_refused(environment, tmp_path, content, reason):
    file = tmp_path / "none.json"
    if content:
        file.write_text(content)
    result = invoke_vola("audit", "--receipt", str(file), **environment)
    assert_refused(result, str(file), reason)


def test_a_receipt_with_a_forged_signature_is_a_finding(environment, store, tmp_path):
    """The file is readable but does not hold: the verifiers give it the same exit code."""
    session_id = play_e1(store, deals=2)
    forged = receipt_document(ReceiptIssuer(store.pool), session_id, 3)
    flip_signature_bit(forged)
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(forged))
    result = invoke_vola("audit", "--json", "--receipt", str(file), **environment)
    assert result.returncode == verify.verify_document(file.read_bytes())[0] == 1
    finding = json.loads(result.stdout)
    assert (finding["session"], finding["version"]) == (str(session_id), 3)
    assert finding["code"] == "receipt_wrong"
