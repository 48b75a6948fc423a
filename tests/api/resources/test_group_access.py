"""Who may do what in a circle, and that nobody learns of one that he has no right to."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from ledger.circles import Circles
from tests.api.conftest import Table, keys
from tests.api.test_circles import FIVE, Circle, founded, play
from tests.evenings import E3

ME = "/members/m1/name"
OPERATIONS: dict[str, tuple[str, str, Any, str]] = {
    "look": ("GET", "", None, "viewer"),
    "standings": ("GET", "/standings", None, "viewer"),
    "cookie": ("PUT", "/cookie", None, "viewer"),
    "links": ("GET", "/links", None, "host"),
    "end": ("DELETE", "/links/nobody", None, "host"),
    "join": ("POST", "/members", {"name": "Fia"}, "scorer"),
    "forget": ("DELETE", "/members/m5/name", None, "host"),
    "gather": ("POST", "/evenings", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]},
               "scorer"),
    "add": ("PUT", f"/evenings/{uuid4()}", {"token": "x", "members": {}}, "scorer"),
}  # fmt: skip
ALLOWED = {"viewer": 1, "scorer": 2, "host": 3}


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(), *FIVE)


def asks(client: Any, circle_id: str, operation: str, **headers: str) -> TestResponse:
    method, path, body, _ = OPERATIONS[operation]
    given = {} if body is None else {"json": {**body}}
    if operation == "join":
        given["json"]["name"] += f" {next(keys)}"
    headers = {"Idempotency-Key": f"k{next(keys)}", **headers}
    answer: TestResponse = client.open(
        f"/v1/circles/{circle_id}{path}", method=method, headers=headers, **given
    )
    return answer


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_role_may_do_what_those_below_it_may(circle: Circle, operation: str) -> None:
    needed = OPERATIONS[operation][3]
    for role, rank in ALLOWED.items():
        right = {"Authorization": f"Bearer {circle.tokens[role]}"}
        answer = asks(circle.client, circle.id, operation, **right)
        code = answer.json["code"] if answer.status_code >= 400 else None
        granted = (None, "unknown_session", "not_found")
        assert code in (("role_too_low",) if rank < ALLOWED[needed] else granted)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_other_right_lets_in_and_none_tells_whether_the_circle_is_there(
    circle: Circle, app: Flask, operation: str
) -> None:
    client = app.test_client()  # nobody's cookie
    other = founded(client, *FIVE)
    table = circle.gather("m1", "m2", "m3")
    before = circle.get().data
    wrong = [
        {},
        {"Authorization": circle.tokens["host"]},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer host0.\u00e5"},
        {"Cookie": f"vola-{other.id}={other.tokens['host']}"},
        {"Cookie": f"vola-{circle.id}={other.tokens['host']}"},
        *({"Authorization": f"Bearer {t}"} for t in (*other.tokens.values(),
                                                     *table.tokens.values())),
    ]  # fmt: skip
    told = set()
    for headers in wrong:
        for circle_id in (circle.id, str(uuid4()), circle.id.upper(), table.id):
            answer = asks(client, circle_id, operation, **headers)
            assert answer.status_code == 404
            told.add(answer.data)
    assert len(told) == 1
    assert circle.get().data == before


def test_a_wrong_token_is_refused_before_anything_of_the_circle_is_read(
    circle: Circle, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large circle would else take longer to refuse than one that is not there."""
    monkeypatch.setattr(Circles, "circle", None)
    for circle_id in (circle.id, str(uuid4())):
        answer = asks(app.test_client(), circle_id, "look", Authorization="Bearer host0.x")
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_circle")


def test_the_cookie_is_as_good_as_the_token_in_its_role(circle: Circle, app: Flask) -> None:
    for role, allowed in (("viewer", 403), ("scorer", 201)):
        client = app.test_client()
        right = {"Authorization": f"Bearer {circle.tokens[role]}"}
        set_to = asks(client, circle.id, "cookie", **right).headers["Set-Cookie"]
        assert "SameSite=Strict" in set_to
        assert "HttpOnly" in set_to
        assert asks(client, circle.id, "look").status_code == 200
        assert asks(client, circle.id, "join").status_code == allowed


def test_a_viewer_of_the_circle_is_shown_the_viewer_s_way_alone(circle: Circle) -> None:
    play(circle.gather(), E3)
    said = circle.get().data + circle.get("/standings").data
    assert b"viewer0." in said
    assert b"host0." not in said
    assert b"scorer0." not in said


def test_no_right_is_ever_kept(circle: Circle, app: Flask, table: Table) -> None:
    """Not in any answer either: whoever reads the book, an auditor say, gets into no evening."""
    circle.gather("m1", "m2", "m3")
    body = {"token": table.tokens["host"], "members": {"p1": "m1"}}
    first = circle.write(f"/evenings/{table.id}", body, method="PUT", key="add")
    assert b"viewer0." in first.data
    assert circle.write(f"/evenings/{table.id}", body, method="PUT", key="add").data == first.data
    with app.extensions["store"].pool.connection() as db:
        kept = db.execute("SELECT body FROM vola.replies UNION ALL"
                          " SELECT body FROM vola.circle_replies").fetchall()  # fmt: skip
    assert [b for (b,) in kept if any(f"{role}0.".encode() in bytes(b) for role in ALLOWED)] == []


def test_a_client_s_key_never_stands_in_for_a_circle_s(circle: Circle) -> None:
    """Whoever knows the circle's id could else take the key of its next evening beforehand."""
    answer = circle.client.post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": [{"name": n} for n in FIVE]},
        headers={"Idempotency-Key": f"○ {circle.id} 00".encode().decode("latin-1")},
    )
    assert (answer.status_code, answer.json["code"]) == (400, "idempotency_key_malformed")
