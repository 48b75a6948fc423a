"""Other books witness a session: each cosigns its newest version with a key and name of its own."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from ledger.proofs.witnesses import MAX_WITNESSES
from tests.support.api.cosigning import cosignature_body, put_cosignature, put_witness, witness_body
from tests.support.api.session_client import SessionClient
from tests.support.proofs.verifier import verify

PASSED = ({"type": "open_deal"}, {"type": "all_pass"})
NAMES = ("bo.example", "kortklubben")


def listed(session: SessionClient) -> list[tuple[str, int]]:
    witnesses = session.get("/cosignatures", role="viewer").json["witnesses"]
    return [(witness["name"], witness["version"]) for witness in witnesses]


def test_each_document_carries_each_witness_with_its_newest_version(session: SessionClient) -> None:
    session.act(*PASSED)
    early = session.version
    for name in NAMES:
        assert put_witness(session, witness_body(session, name, early)).status_code == 200
    session.act(*PASSED)
    newest = session.version
    put_witness(session, witness_body(session, NAMES[0], newest))
    assert listed(session) == [(NAMES[0], newest), (NAMES[1], early)]
    session.act(*PASSED)
    for path in ("/export", "/statement?format=json&player=p1", f"/receipts/{early}"):
        document = session.get(path)
        witnesses = [(w["name"], w["version"]) for w in document.json["witnesses"]]
        assert witnesses == listed(session)
        assert verify.verify_document(document.data)[0] == 0
    between = session.get(f"/receipts/{early}?to={newest - 1}")
    assert [w["name"] for w in between.json["witnesses"]] == [NAMES[1]]
    assert verify.verify_document(between.data)[0] == 0


def test_a_witness_leaves_the_confirmations_of_the_players_in_place(session: SessionClient) -> None:
    session.act(*PASSED)
    confirmed = session.version
    put_cosignature(session, cosignature_body(session, "p1", confirmed))
    session.act(*PASSED)
    put_witness(session, witness_body(session, NAMES[0], session.version))
    document = session.get("/export").json
    assert document["witnessed"]["version"] == confirmed
    assert [c["player"] for c in document["witnessed"]["cosignatures"]] == ["p1"]
    assert document["witnesses"][0]["version"] == session.version


def test_an_older_version_does_not_replace_a_newer_one(session: SessionClient) -> None:
    session.act(*PASSED)
    early, late = (witness_body(session, NAMES[0], version) for version in (1, session.version))
    for body in (early, late, early):
        assert put_witness(session, body).status_code == 200
    assert listed(session) == [(NAMES[0], session.version)]


def test_a_document_with_another_witnessed_version_has_another_etag(session: SessionClient) -> None:
    session.act(*PASSED)
    paths, etags = ("/statement?format=json", "/receipts/2"), set()
    for version in (None, 1, session.version):
        if version:
            put_witness(session, witness_body(session, NAMES[0], version))
        etags |= {(path, session.get(path).headers["ETag"]) for path in paths}
    assert len(etags) == 3 * len(paths)


def test_an_earlier_receipt_with_other_witnesses_has_another_etag(session: SessionClient) -> None:
    """One witness goes beyond the receipt's head, and the other one comes up to it."""
    for _ in range(2):
        session.act(*PASSED)
    path, etags = "/receipts/1?to=5", set()
    for versions in ((3, 2), (6, 5)):
        for name, version in zip(NAMES, versions, strict=True):
            put_witness(session, witness_body(session, name, version))
        etags.add(session.get(path).headers["ETag"])
    assert len(etags) == 2


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"name": "kortklubben"}, 409, "cosignature_invalid"),
        ({"name": "vola/x/p1"}, 422, "wrong_shape"),
        ({"name": "Bo"}, 422, "wrong_shape"),
        ({"name": "b" * 64}, 422, "wrong_shape"),
        ({"name": ""}, 422, "wrong_shape"),
        ({"version": 1}, 409, "cosignature_invalid"),
        ({"version": 99}, 404, "unknown_version"),
        ({"signature": "A" * 102 + "=="}, 409, "cosignature_invalid"),
        ({"signature": "A" * 100}, 422, "wrong_shape"),
        ({"player": "p1"}, 422, "wrong_shape"),
    ],
)
def test_what_no_witness_signed_is_refused(
    session: SessionClient, change: dict[str, Any], status: int, code: str
) -> None:
    session.act(*PASSED)
    body = witness_body(session, NAMES[0], session.version)
    answer = put_witness(session, body | change, key_of=NAMES[0])
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert listed(session) == []


def test_what_a_phone_confirmed_is_not_what_a_witness_signed(session: SessionClient) -> None:
    confirmed = cosignature_body(session, "p1", session.version)
    body = {"name": "p1", "version": confirmed["version"], "signature": confirmed["signature"]}
    answer = put_witness(session, body, key_of="p1")
    assert (answer.status_code, answer.json["code"]) == (409, "cosignature_invalid")


def test_only_somebody_with_a_link_can_witness(session: SessionClient) -> None:
    body = witness_body(session, NAMES[0], session.version)
    session.tokens["stranger"] = "a" * 43
    answer = put_witness(session, body, role="stranger")
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_session")


def test_a_session_has_a_limited_number_of_witnesses(session: SessionClient) -> None:
    version = session.version
    for number in range(MAX_WITNESSES):
        body = witness_body(session, f"book-{number}", version)
        assert put_witness(session, body).status_code == 200
    answer = put_witness(session, witness_body(session, "one-more", version))
    assert (answer.status_code, answer.json["code"]) == (409, "too_many_witnesses")
    session.act(*PASSED)
    again = put_witness(session, witness_body(session, "book-0", session.version))
    assert again.status_code == 200, "who witnesses already goes on"


def test_an_import_takes_the_witnesses_over(own_app, session: SessionClient) -> None:
    session.act(*PASSED)
    put_witness(session, witness_body(session, NAMES[0], session.version))
    session.act(*PASSED)
    export = session.get("/export?names=true").json
    forged = deepcopy(export)
    forged["witnesses"][0]["name"] = NAMES[1]
    other, headers = own_app.test_client(), {"Idempotency-Key": "an evening from another book"}
    refused = other.post("/v1/imports", json=forged, headers=headers)
    assert (refused.status_code, refused.json["reason"]) == (422, "cosignature_wrong")
    imported = other.post("/v1/imports", json=export, headers=headers)
    assert imported.status_code == 201, imported.json
    copy = SessionClient(other, imported.json["id"], imported.json["tokens"])
    assert listed(copy) == listed(session) != []
    assert copy.get("/audit").json["clean"]
