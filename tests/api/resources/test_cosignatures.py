"""Phones confirm the sums of a version: each cosigns it with a key of its own."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import psycopg
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from ledger.proofs.checkpoint import COSIGNATURE, key_id
from ledger.proofs.receipts import MAX_BY_VIEWERS, MAX_COSIGNATURES
from ledger.proofs.signing_key import rotate_key
from tests.support.api.cosigning import cosignature_body, put_cosignature
from tests.support.api.group_client import create_group
from tests.support.api.session_client import SessionClient, create_session
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs.verifier import verify

NEUTRAL_KEYS = (
    (2**255 - 18).to_bytes(32, "little"),  # its y is 1, and written as 1 more than the prime
    (2**255 + 1).to_bytes(32, "little"),  # its y is 1, with the sign of a number that has none
    (2**256 - 18).to_bytes(32, "little"),
    (1).to_bytes(32, "little"),
)
"""Encodings of the neutral point: those that RFC 8032 forbids, and its own. As a key it makes any
text signed."""
PASSED = ({"type": "open_deal"}, {"type": "all_pass"})


def test_every_signed_document_carries_the_newest_cosignatures(session: SessionClient) -> None:
    session.act(*PASSED)
    early = session.version
    assert put_cosignature(session, cosignature_body(session, "p1", early)).status_code == 200
    session.act(*PASSED)
    closed = session.version
    for player in ("p2", "p3"):
        answer = put_cosignature(session, cosignature_body(session, player, closed))
        assert (answer.status_code, answer.json["player"]) == (200, player)
    session.act(*PASSED)
    listed = session.get("/cosignatures", role="viewer").json["cosignatures"]
    assert [(c["version"], c["player"]) for c in listed] == [
        (early, "p1"), (closed, "p2"), (closed, "p3")
    ]  # fmt: skip
    paths = ("/export", "/statement?format=json&player=p1", f"/receipts/{early}")
    for document in (session.get(path) for path in paths):
        witnessed = document.json["witnessed"]
        assert witnessed["version"] == closed
        assert [c["player"] for c in witnessed["cosignatures"]] == ["p2", "p3"]
        assert verify.verify_document(document.data)[0] == 0
    between = session.get(f"/receipts/{early}?to={closed - 1}").json["witnessed"]
    assert [c["player"] for c in between["cosignatures"]] == ["p1"]


def test_a_document_that_has_another_cosignature_has_another_etag(session: SessionClient) -> None:
    session.act(*PASSED)
    paths = ("/statement?format=json", "/receipts/2")
    before = {path: session.get(path).headers["ETag"] for path in paths}
    put_cosignature(session, cosignature_body(session, "p1", session.version))
    for path, etag in before.items():
        assert session.get(path, **{"If-None-Match": etag}).status_code == 200


def test_a_document_signed_with_the_next_key_has_another_etag(
    own_app: Flask, urls: DatabaseUrls
) -> None:
    session = create_session(
        own_app.test_client(),
        {"game": "polskt_pass", "players": FOUR_PLAYERS, "options": {"stake": 10}},
    )
    session.act(*PASSED)
    paths = ("/statement?format=json", "/receipts/2")
    before = {path: session.get(path).headers["ETag"] for path in paths}
    with psycopg.connect(urls.owner) as db:
        rotate_key(db)
    for path, etag in before.items():
        renewed = session.get(path, **{"If-None-Match": etag})
        assert renewed.status_code == 200
        assert "earlier_keys" in renewed.json
        assert session.get(path, **{"If-None-Match": renewed.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("form", ["html", "hledger", "json"])
def test_a_statement_that_shows_the_next_key_has_another_etag(
    own_app: Flask, urls: DatabaseUrls, form: str
) -> None:
    """Also that of a group without evenings."""
    client = own_app.test_client()
    group = create_group(client, "Ada", "Bo", "Cilla")
    clients = (group, create_session(client, {"game": "polskt_pass", "players": FOUR_PLAYERS}))
    path = f"/statement?format={form}"
    before = [client.get(path) for client in clients]
    with psycopg.connect(urls.owner) as db:
        rotate_key(db)
    for client, answer in zip(clients, before, strict=True):
        renewed = client.get(path, **{"If-None-Match": answer.headers["ETag"]})
        assert renewed.status_code == 200
        assert renewed.text != answer.text
        assert client.get(path, **{"If-None-Match": renewed.headers["ETag"]}).status_code == 304


def test_a_receipt_with_a_later_cosigned_version_has_another_etag(session: SessionClient) -> None:
    session.act(*PASSED)
    early = session.version
    put_cosignature(session, cosignature_body(session, "p1", early))
    session.act(*PASSED)
    path = f"/receipts/{early}"
    etag = session.get(path).headers["ETag"]
    put_cosignature(session, cosignature_body(session, "p2", session.version))
    renewed = session.get(path, **{"If-None-Match": etag})
    assert renewed.status_code == 200
    assert renewed.json["witnessed"]["version"] == session.version


def test_a_cosignature_is_stored_once(session: SessionClient) -> None:
    body = cosignature_body(session, "p1", session.version)
    for _ in range(3):
        assert put_cosignature(session, body).status_code == 200
    assert len(session.get("/cosignatures").json["cosignatures"]) == 1
    assert session.version == body["version"], "no event is appended"


def test_a_key_cosigns_a_version_for_one_player(session: SessionClient) -> None:
    """The other one's objection stays, since nothing of theirs is stored."""
    session.write("/objections/p2", {"version": session.version}, method="PUT")
    for player, status in (("p1", 200), ("p2", 409)):
        body = cosignature_body(session, player, session.version, phone="shared")
        answer = put_cosignature(session, body, phone="shared")
        assert answer.status_code == status
    assert (answer.json["code"], answer.json["player"]) == ("cosigned_for_another", "p1")
    assert [c["player"] for c in session.get("/cosignatures").json["cosignatures"]] == ["p1"]
    assert [o["player"] for o in session.get("/objections").json["objections"]] == ["p2"]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"player": "p2"}, 409, "cosignature_invalid"),
        ({"player": "p9"}, 409, "no_such_player"),
        ({"player": "Ada"}, 422, "wrong_shape"),
        ({"version": 1}, 409, "cosignature_invalid"),
        ({"version": 99}, 404, "unknown_version"),
        ({"version": 0}, 422, "wrong_shape"),
        ({"signature": "A" * 102 + "=="}, 409, "cosignature_invalid"),
        ({"signature": "A" * 100}, 422, "wrong_shape"),
        ({"signature": "A" * 101 + "B=="}, 422, "wrong_shape"),
    ],
)
def test_what_no_phone_signed_is_refused(
    session: SessionClient, change: dict[str, Any], status: int, code: str
) -> None:
    session.act(*PASSED)
    body = cosignature_body(session, "p1", session.version)
    answer = put_cosignature(session, body | change, phone="p1")
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert session.get("/cosignatures").json == {"cosignatures": [], "witnesses": []}


@pytest.mark.parametrize("key", ["00", "AA" * 32, "zz" * 32])
def test_a_key_of_another_form_is_refused(session: SessionClient, key: str) -> None:
    body = cosignature_body(session, "p1", session.version)
    answer = session.write(f"/cosignatures/{key}", body, method="PUT")
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_shape")


@pytest.mark.parametrize("key", NEUTRAL_KEYS)
def test_a_key_that_verifiers_cannot_read_is_refused(session: SessionClient, key: bytes) -> None:
    """Otherwise no document of the session would be valid any more."""
    names = {"cosignatures": f"vola/{session.id}/p1", "witnesses": "bo"}
    for kind, name in names.items():
        signature = key_id(name, key, COSIGNATURE) + bytes(8) + bytes([1]) + bytes(63)
        body = {"version": session.version, "signature": b64encode(signature).decode()}
        body |= {"player": "p1"} if kind == "cosignatures" else {"name": name}
        answer = session.write(f"/{kind}/{key.hex()}", body, method="PUT", role="viewer")
        assert (answer.status_code, answer.json["code"]) == (409, "cosignature_invalid")
    assert verify.verify_document(session.get("/export").data)[0] == 0


def test_a_session_has_a_limited_number_of_cosignatures(session: SessionClient) -> None:
    """Viewers cannot use them up with keys that they make: others can still confirm."""

    def cosign_by(role: str, number: int) -> TestResponse:
        phone = f"phone {number}"
        body = cosignature_body(session, "p1", version, phone)
        return put_cosignature(session, body, phone, role)

    version = session.version
    for number in range(MAX_BY_VIEWERS):
        assert cosign_by("viewer", number).status_code == 200
    for number in range(MAX_BY_VIEWERS, MAX_COSIGNATURES):
        assert cosign_by("viewer", number).json["most"] == MAX_BY_VIEWERS
        assert cosign_by("scorer", number).status_code == 200
    refused = cosign_by("host", MAX_COSIGNATURES)
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_cosignatures")
    assert cosign_by("viewer", 0).status_code == 200, "it is stored already"
