"""`vola audit --receipt` compares a saved receipt with the ledger."""

import json
from dataclasses import replace
from random import Random

import psycopg
import pytest

from api.cli.commands import audit
from ledger.events.timestamps import format_timestamp
from ledger.proofs.receipts import ReceiptIssuer
from ledger.transfer.export import export_session
from tests.support.api.command_line import assert_refused, invoke_vola
from tests.support.ledger.store_session import play_e1
from tests.support.proofs.issued_receipts import receipt_document
from tests.support.proofs.tampered_statements import flip_signature_bit
from tests.support.proofs.verifier import verify
from tests.verification.attack.forger import Forger


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
    [(None, "Cannot read"), ("no receipt", "is no receipt, statement or export")],
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


@pytest.fixture
def saved_export(store, tmp_path):
    """A session, and the file with its export."""
    session_id = play_e1(store, deals=2)
    file = tmp_path / "export.json"
    file.write_text(export_session(store, ReceiptIssuer(store.pool), session_id, labelled=True))
    return session_id, file


def audit_export(environment, file):
    result = invoke_vola("audit", "--json", "--receipt", str(file), **environment)
    assert result.returncode == (1 if result.stdout.startswith("{") else 0), result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return [(finding["session"], finding["code"], finding["version"]) for finding in lines]


EXPORT_CHANGES = {
    "changed": (lambda export: export["events"][3].update(at=0), lambda end: 4),
    "missing": (lambda export: export["events"].pop(5), lambda end: 6),
    "additional": (
        lambda export: export["events"].append(export["events"][-1]),
        lambda end: end + 1,
    ),
    "renamed": (lambda export: export["names"][1].update(name="Emil"), lambda end: end),
}


@pytest.mark.parametrize(("change", "version_at"), EXPORT_CHANGES.values(), ids=EXPORT_CHANGES)
def test_an_export_that_was_changed_is_a_finding(environment, saved_export, change, version_at):
    session_id, file = saved_export
    assert audit_export(environment, file) == []
    export = json.loads(file.read_text())
    version = version_at(len(export["events"]))
    change(export)
    file.write_text(json.dumps(export))
    assert audit_export(environment, file) == [(str(session_id), "receipt_wrong", version)]


def test_time_that_runs_out_is_no_fault_of_the_export(environment, saved_export, monkeypatch):
    session_id, file = saved_export
    monkeypatch.setattr(audit, "CHECK_SECONDS", 0)
    assert audit_export(environment, file) == [(str(session_id), "receipt_unchecked", 1)]
    result = invoke_vola("audit", "--receipt", str(file), **environment)
    assert "version 1: receipt_unchecked: An export was checked up to this" in result.stdout


def test_an_export_without_its_format_is_refused(environment, saved_export):
    _, file = saved_export
    export = json.loads(file.read_text())
    del export["format"]
    file.write_text(json.dumps(export))
    result = invoke_vola("audit", "--receipt", str(file), **environment)
    assert_refused(result, str(file), "is no receipt, statement or export")


BOOK_CHANGES = {
    "cut": (lambda history: history[:5], "tail_missing"),
    "changed": (
        lambda history: [*history[:5], *(replace(e, by="host.7") for e in history[5:])],
        "rewritten",
    ),
}


@pytest.mark.parametrize(("change", "code"), BOOK_CHANGES.values(), ids=BOOK_CHANGES)
def test_the_first_version_that_the_book_has_otherwise_is_named(
    environment, saved_export, urls, change, code
):
    session_id, file = saved_export
    with psycopg.connect(urls.super) as db:
        forger = Forger(db, session_id, Random(1), [])
        forger.rewrite(change(forger.history()))
    assert audit_export(environment, file) == [(str(session_id), code, 6)]
