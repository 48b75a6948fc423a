"""`Prefer: return=minimal`: a client that needs no state gets a receipt alone."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.support.api.session_client import SessionClient, create_session, keys
from tests.support.player_names import FOUR_PLAYERS

OPEN = {"actions": [{"type": "open_deal", "number": 1}]}


@pytest.fixture
def session(app: Flask) -> SessionClient:
    return create_session(app.test_client(), {"game": "polskt_pass", "players": FOUR_PLAYERS})


def post(session: SessionClient, path: str, body: object, prefer: str, key: str) -> object:
    headers = {
        "Authorization": f"Bearer {session.tokens['host']}",
        "Idempotency-Key": key,
        "If-Match": "*",
        "Prefer": prefer,
    }
    return session.client.post(session.path + path, json=body, headers=headers)


@pytest.mark.parametrize("prefer", ["return=minimal", 'wait=5, return="minimal"'])
def test_a_minimal_answer_is_the_receipt(session: SessionClient, prefer: str) -> None:
    response = post(session, "/actions", OPEN, prefer, f"a minimal write {next(keys)}")
    assert response.status_code == 201
    assert response.headers["Preference-Applied"] == "return=minimal"
    assert response.json.keys() == {"receipt"}
    assert response.headers["ETag"] == f'"{response.json["receipt"]["version"]}"'
    assert response.json["receipt"]["hash"] == session.get("/receipts/2").json["hash"]


def test_what_was_created_is_named_in_a_minimal_answer(session: SessionClient) -> None:
    response = post(session, "/players", {"name": "Emil"}, "return=minimal", f"Emil {next(keys)}")
    assert response.json["id"] == "p5"
    assert response.json.keys() == {"id", "receipt"}


@pytest.mark.parametrize("prefer", ["", "return=representation", "return=least"])
def test_any_other_preference_gets_the_state(session: SessionClient, prefer: str) -> None:
    response = post(session, "/actions", OPEN, prefer, f"a whole answer {next(keys)}")
    assert response.json.keys() == {"events", "session", "receipt"}
    assert "Preference-Applied" not in response.headers


def test_a_replay_follows_the_preference_of_its_own_request(session: SessionClient) -> None:
    key = f"first minimal, then whole {next(keys)}"
    minimal = post(session, "/actions", OPEN, "return=minimal", key)
    whole = post(session, "/actions", OPEN, "", key)
    assert whole.headers["Idempotency-Replayed"] == "true"
    assert whole.json["receipt"] == minimal.json["receipt"]
    assert whole.json["session"]["players"][0]["name"] == "Ada"
