"""Coming in by a short code: it finds the evening, the host lets in, and nobody else is told."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from ledger import door
from tests.api.conftest import Table

keys = count(1)


def knock(table: Table, code: str, key: str | None = None, **more: Any) -> Any:
    return table.client.post(
        "/v1/knocks",
        json={"code": code, "label": "Bos telefon", **more},
        headers={"Idempotency-Key": key or f"knock-{next(keys)}"},
    )


def heard(table: Table, token: str) -> Any:
    return table.client.get(f"{table.here}/knock", headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def code(table: Table) -> str:
    return table.write("/code", {}).json["code"]


def test_knock_wait_and_come_in(table: Table, code: str) -> None:
    at_door = knock(table, code).json
    assert at_door["session"] == table.id
    assert heard(table, at_door["token"]).json == {"knock": 1, "status": "waiting"}
    (waiting,) = table.get("/knocks").json["knocks"]
    assert (waiting["label"], waiting["role"]) == ("Bos telefon", "scorer")
    said = table.write("/knocks/1", {}, method="PUT").json
    assert said == {"knock": 1, "status": "let_in", "phone": "phone1"}
    table.tokens["Bo"] = heard(table, at_door["token"]).json["token"]
    assert table.get(role="Bo").status_code == 200
    assert table.get("/phones").json["phones"][0]["label"] == "Bos telefon"
    assert table.get("/knocks").json["knocks"] == []


def test_until_then_a_knock_opens_nothing(table: Table, code: str) -> None:
    table.tokens["Bo"] = knock(table, code).json["token"]
    unknown = table.get(role="Bo")
    assert (unknown.status_code, unknown.json["code"]) == (404, "unknown_session")
    assert table.write("/code", {}, role="Bo").status_code == 404


def test_the_host_may_give_less_than_was_asked_for(table: Table, code: str) -> None:
    at_door = knock(table, code, role="scorer").json
    table.write("/knocks/1", {"role": "viewer"}, method="PUT")
    table.tokens["Bo"] = heard(table, at_door["token"]).json["token"]
    assert table.get(role="Bo").status_code == 200
    assert table.act({"type": "open_deal"}, role="Bo", match="*").status_code == 403


def test_who_is_refused_hears_so(table: Table, code: str) -> None:
    at_door = knock(table, code).json
    assert table.write("/knocks/1", method="DELETE").json["status"] == "refused"
    assert heard(table, at_door["token"]).json["status"] == "refused"
    late = table.write("/knocks/1", {}, method="PUT")
    assert (late.status_code, late.json["code"]) == (409, "already_answered")


def test_a_code_is_read_as_people_type_it(table: Table, code: str) -> None:
    assert knock(table, f" {code[:3].lower()}-{code[3:]} ").status_code == 201


def test_what_is_longer_than_anybody_types_is_no_code(table: Table, code: str) -> None:
    refused = knock(table, code + "x" * 15)
    assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
    assert knock(table, code + " " * 14).status_code == 201


def shut(table: Table) -> bool:
    told = table.get("/code")
    return (told.status_code, told.json["code"]) == (404, "door_shut")


def test_a_new_code_ends_the_one_before_and_a_shut_door_has_none(table: Table, code: str) -> None:
    new = table.write("/code", {}).json["code"]
    assert table.get("/code").json["code"] == new
    assert knock(table, code).json["code"] == "unknown_code"
    assert table.write("/code", method="DELETE").json == {"code": None, "until": None}
    assert knock(table, new).json["code"] == "unknown_code"
    assert shut(table)


def test_a_code_that_has_run_out_finds_nothing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "OPEN_SECONDS", -1)
    faded = table.write("/code", {}).json["code"]
    assert knock(table, faded).status_code == 404
    assert shut(table)


def test_one_knock_however_often_it_is_sent(table: Table, code: str) -> None:
    first, second = (knock(table, code, key="the same") for _ in range(2))
    assert first.data == second.data
    assert len(table.get("/knocks").json["knocks"]) == 1


def test_a_key_of_somebody_outside_is_never_one_of_somebody_inside(table: Table, code: str) -> None:
    assert knock(table, code, key="mine").status_code == 201
    assert table.act({"type": "open_deal"}, key="mine", match="*").status_code == 201


def test_the_door_is_not_stormed(table: Table, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_WAITING", 2)
    assert [knock(table, code).status_code for _ in range(3)] == [201, 201, 409]
    table.write("/knocks/1", method="DELETE")
    assert knock(table, code).status_code == 201


def test_a_knock_of_another_evening_hears_nothing_here(
    table: Table, open_table: Any, code: str
) -> None:
    other = open_table()
    token = knock(table, code).json["token"]
    stranger = heard(other, token)
    nobody = heard(other, "knock1." + "A" * 43)
    assert (stranger.status_code, stranger.data) == (404, nobody.data)


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_the_host_opens(table: Table, code: str, role: str) -> None:
    knock(table, code)
    for path, method, body in (
        ("/code", "POST", {}),
        ("/code", "DELETE", None),
        ("/knocks/1", "PUT", {}),
        ("/knocks/1", "DELETE", None),
    ):
        assert table.write(path, body, method=method, role=role).status_code == 403
    assert table.get("/code", role=role).status_code == 403
    assert table.get("/knocks", role=role).status_code == 403
