"""No forged statement passes `verify.py`.

The tests try kinds of forgery and hundreds of changed values, with and without the signed note,
alone and with the export.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs import statement_note
from ledger.proofs.checkpoint import public_bytes, sign_note
from tests.support.api.forged_statements import (
    MUTATIONS,
    StatementAndExport,
    forge_statements,
    play_and_export,
)
from tests.support.api.session_client import SessionClient
from tests.support.proofs.statement_forgeries import FORGERIES
from tests.support.proofs.verifier import verify


@pytest.fixture
def documents(open_session: Callable[..., SessionClient]) -> StatementAndExport:
    """A session with a correction, an undo, a bet, a pot and a payment between people."""
    return play_and_export(open_session(title="Fredag ♠ 👩\u200d👩\u200d👧"))


def test_no_forged_statement_passes_the_program(documents: StatementAndExport) -> None:
    count = 0
    for forgery, doc in forge_statements(documents, Random("program"), MUTATIONS):
        for export in (None, documents.export):
            code, finding, _ = verify.verify_document(json.dumps(doc).encode(), export=export)
            assert code != 0, forgery
            assert code in (1, 2) or "signature" not in doc, (forgery, finding)
            count += 1
    print(f"{count} forged statements, 0 missed")


def test_without_a_note_the_export_finds_every_changed_line_and_balance(
    documents: StatementAndExport,
) -> None:
    """Only the note protects words and results, and the finding `figures` says so."""
    words = {
        *("another title", "another selection", "another clock", "another reason"),
        *("another name in a reason", "a payment that is not due", "a bet of somebody else"),
        *("the address of the receipt", "something more", "another result"),
    }
    passed = set()
    for forgery, change in FORGERIES.items():
        doc = deepcopy(documents.statement)
        doc.pop("signature")
        change(doc)
        code, finding, _ = verify.verify_document(json.dumps(doc).encode(), export=documents.export)
        if (code, finding) == (3, "figures"):
            passed.add(forgery)
    assert passed == words


def test_a_statement_signed_with_another_key_is_of_that_key(documents: StatementAndExport) -> None:
    doc, signing_key = deepcopy(documents.statement), Ed25519PrivateKey.generate()
    key, session = doc["key"], UUID(doc["session"])
    doc["key"] = public_bytes(signing_key).hex()
    doc["checkpoint"] = None
    doc["signature"] = sign_note(
        signing_key,
        session,
        statement_note.statement_body(session, statement_note.statement_digest(doc)),
    )
    assert verify.verify_document(json.dumps(doc).encode(), key=key)[:2] == (1, "unsigned")
    doc = {**deepcopy(documents.statement), "key": public_bytes(signing_key).hex()}
    doc["signature"] = sign_note(
        signing_key,
        session,
        statement_note.statement_body(session, statement_note.statement_digest(doc)),
    )
    assert verify.verify_document(json.dumps(doc).encode())[:2] == (1, "signature_wrong")
    assert verify.verify_document(json.dumps(doc).encode(), key=key)[:2] == (1, "other_key")


def test_a_statement_of_version_0_1_opens_and_only_adds_up(documents: StatementAndExport) -> None:
    new = ("signature", "lang", "page", "results")
    doc = {name: x for name, x in documents.statement.items() if name not in new}
    doc["filters"] = {name: doc["filters"][name] for name in ("from", "to", "tz")}
    raw = json.dumps(doc).encode()
    assert verify.verify_document(raw)[:2] == (3, "adds_up")
    assert verify.verify_document(raw, export=documents.export)[:2] == (3, "figures")
    assert verify.verify_document(raw, earlier=raw)[:2] == (3, "adds_up")
