"""Which requests count as the same one under an idempotency key, and what their key may be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask, g
from flask.testing import FlaskClient

from api.http import idempotency
from api.http.idempotency import append_request, read_idempotency_key
from api.http.problems import Problem
from ledger.store.append_request import creation_key
from tests.support.api.session_client import SessionClient, create_session
from tests.support.player_names import FOUR_PLAYERS

PATH = "/v1/sessions/00000000-0000-0000-0000-000000000001/actions"
OPEN = {"type": "open_deal", "number": 1}
BODY = {"actions": [OPEN]}
SECRET = bytes(range(32))


@pytest.fixture
def digest(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function from a request to its digest, keyed by SECRET unless by another secret."""

    def digest_of(
        path: str = PATH, body: Any = BODY, method: str = "POST", secret: bytes = SECRET
    ) -> bytes:
        monkeypatch.setattr(idempotency, "token_secret", lambda: secret)
        with app.test_request_context(path, method=method):
            g.body, g.key, g.expected = body, "once", "missing"
            return append_request(None).digest

    return digest_of


def test_a_request_has_the_digest_that_earlier_versions_stored(digest: Any) -> None:
    """A phone may send the same request before and after an upgrade of the server."""
    reseated = {"type": "reseat", "players": ["p2", "p1", "p3"], "note": "på ön"}
    stored = "edb6184870dff979eab5507e3b77d5e1669f8bb4e743e08fcd4d50391cc7535b"
    assert digest(body={"actions": [reseated, OPEN]}).hex() == stored
    stored = "3a62b1b120ef477f6ec54729593c5a8e6d558dd5a9611f937accd9c2f7581982"
    assert digest(f"{PATH}?reason=fel%20giv", None, "DELETE").hex() == stored


def test_spelling_makes_no_other_request(digest: Any) -> None:
    assert digest(f"{PATH}/") == digest(PATH)
    respelled = json.loads('{ "actions": [{"number": 1, "type": "open_deal"}] }')
    assert digest(body=respelled) == digest(body=BODY)


def test_method_path_query_body_and_secret_each_make_another_request(digest: Any) -> None:
    digests = {
        digest(),
        digest(method="PUT"),
        digest(PATH.replace("1/", "2/")),
        digest(f"{PATH}?reason=felgiv"),
        digest(f"{PATH}?reason=felskrivet"),
        digest(body=None),
        digest(body={"actions": [{**OPEN, "number": 2}]}),
        digest(secret=bytes(32)),
    }
    assert len(digests) == 8


def test_a_repeat_on_a_path_with_a_slash_is_replayed(session: SessionClient) -> None:
    first = session.write("/actions", BODY, key="once", match="*")
    second = session.write("/actions/", BODY, key="once", match="*")
    assert first.status_code == 201
    assert (second.status_code, second.data) == (201, first.data)


def test_a_key_is_free_in_every_other_session(open_session: Any) -> None:
    sessions = [open_session(), open_session()]
    for session in sessions:
        added = session.write("/devices", {"label": "Adas telefon"}, key="once")
        assert (added.status_code, added.json["id"]) == (201, "phone1")
    assert [len(s.get("/devices").json["devices"]) for s in sessions] == [1, 1]


def test_the_stored_key_of_an_opening_is_free_inside_the_session(client: FlaskClient) -> None:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
    session = create_session(client, body, key := "the key of an evening in 2026")
    stored_key = creation_key(key).removeprefix("⊙ ")
    assert session.write("/actions", BODY, key=stored_key, match="*").status_code == 201


def test_a_key_used_for_another_reason_is_refused(session: SessionClient) -> None:
    session.act(OPEN)
    first = session.write("/deals/1?reason=felgiv", method="DELETE", key="once", match="*")
    assert first.status_code == 200
    other = session.write("/deals/1?reason=felskrivet", method="DELETE", key="once", match="*")
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")


def test_an_event_is_by_the_link_of_its_writer_and_the_first_by_the_host(
    session: SessionClient,
) -> None:
    """Whoever opens a session needs no token, and gets that of the host."""
    assert session.act(OPEN, role="scorer").status_code == 201
    events = session.get("/events").json["events"]
    assert [event["by"] for event in events] == ["host.0", "scorer.0"]


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("deal 1", "deal 1"),
        (' "deal 1" ', "deal 1"),
        ('""deal 1""', '"deal 1"'),
        ('"deal 1', '"deal 1'),
        ('deal 1"', 'deal 1"'),
        ('"', '"'),
        ("~" * 255, "~" * 255),
        (f'"{"k" * 255}"', "k" * 255),
    ],
)
def test_a_key_is_printable_ascii_perhaps_in_quotes(app: Flask, header: str, key: str) -> None:
    with app.test_request_context(PATH, headers={"Idempotency-Key": header}):
        assert read_idempotency_key() == key


@pytest.mark.parametrize(
    ("header", "code"),
    [
        *((header, "idempotency_key_missing") for header in ("", " ", '""')),
        *(
            (header, "idempotency_key_malformed")
            for header in ("k" * 256, "nyckel å", "deal\t1", "deal\x7f1")
        ),
    ],
)
def test_any_other_key_is_refused(app: Flask, header: str, code: str) -> None:
    with (
        app.test_request_context(PATH, headers={"Idempotency-Key": header}),
        pytest.raises(Problem) as refusal,
    ):
        read_idempotency_key()
    assert (refusal.value.status, refusal.value.code) == (400, code)
