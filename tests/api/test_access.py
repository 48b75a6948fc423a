"""What a right is good for and what it is not, to the letter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import access
from ledger import door, phones
from ledger.cards import Card
from tests.api.conftest import Table
from tests.api.test_circles import founded

PRINTED = {
    "host": "host0.Z_8_zNhTr9sIIYLfo6n17PRFT-qcoaWKr0JizrVsi5A",
    "scorer": "scorer2.pU3qQBZeu0HFCzfmYMWThgjLjmxy4nrLkvgB53Cr2x4",
    "phone": "phone3.vFM3zbtPB0QP_KFJNubZfBhQUTqwo1Gn7j6RYk4pSqc",
    "knock": "knock3.XOGcjI8pZ9uB5Vbd615Lzm3cu0vzu5UpS6EWq4KXQQc",
}
PRINTED_OF_CIRCLE = {
    "host": "host0.4BkABuR34CmyYnQ0KDmJEDS2yhuzN7r7Y4QZEWcjRHM",
    "scorer": "scorer5.CgLI4uZVQzIIl7twR6H9slmqOI-PDdB_gm9DkrvcyRA",
    "viewer": "viewer0.c9F-9K9YAI0aMs8RC_vAmLzBHTHPcl5FJP98nPS2vFQ",
}
OPEN = {"type": "open_deal"}


def let_in(table: Table, label: str = "x", **more: Any) -> Any:
    made = table.write("/phones", {"label": label, **more})
    assert made.status_code == 201, made.json
    table.tokens[made.json["id"]] = made.json["token"]
    return made.json


def knock(table: Table, code: str, **more: Any) -> Any:
    headers = {"Idempotency-Key": "a knock"}
    body = {"code": code, "label": "Bos telefon", **more}
    return table.client.post("/v1/knocks", json=body, headers=headers)


def asked(table: Table, authorization: str | None, path: str = "") -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    return table.client.get(table.here + path, headers=headers).status_code


def soon(told: str) -> timedelta:
    return datetime.fromisoformat(told) - datetime.now(UTC)


# Tokens


def test_a_link_that_was_printed_once_is_good_as_long_as_its_generation() -> None:
    """Were tokens made otherwise some day, every QR code on every wall would be worth nothing."""
    secret, evening = bytes(range(32)), UUID(int=7)
    assert access.token(secret, evening, "host") == PRINTED["host"]
    assert access.token(secret, evening, "scorer", 2) == PRINTED["scorer"]
    assert access.phone_token(secret, evening, 3) == PRINTED["phone"]
    assert access.knock_token(secret, evening, 3) == PRINTED["knock"]
    assert access.circle_tokens(secret, evening, (0, 5, 0)) == PRINTED_OF_CIRCLE
    card = Card(title=None, generations=(0, 2, 1), names={})
    made = access.tokens(secret, evening, card)
    assert (made["host"], made["scorer"]) == (PRINTED["host"], PRINTED["scorer"])
    assert made["viewer"].startswith("viewer1.")
    assert access.tokens(secret, evening)["scorer"].startswith("scorer0.")


def test_a_token_is_a_bearer_s_and_nothing_else(table: Table) -> None:
    right = table.tokens["viewer"]
    assert asked(table, f"Bearer {right}") == 200
    assert asked(table, f"bEARER   {right} ") == 200
    for wrong in (f"Basic {right}", right, f"Bearer {right}x", f"Bearer x{right}", "Bearer", ""):
        assert asked(table, wrong) == 404
    assert asked(table, None) == 404


def test_a_wrong_token_is_wrong_although_the_cookie_is_right(table: Table) -> None:
    table.client.put(
        f"{table.here}/cookie", headers={"Authorization": f"Bearer {table.tokens['viewer']}"}
    )
    assert asked(table, None) == 200
    assert asked(table, "Bearer nothing") == 404
    assert asked(table, f"Basic {table.tokens['viewer']}") == 404


def test_a_token_says_its_role_and_generation_and_differs_in_the_rest(table: Table) -> None:
    said = {role: table.tokens[role].split(".") for role in ("host", "scorer", "viewer")}
    assert {role: clear for role, (clear, _) in said.items()} == {
        "host": "host0",
        "scorer": "scorer0",
        "viewer": "viewer0",
    }
    secrets = {secret for _, secret in said.values()}
    assert len(secrets) == 3
    assert {len(secret) for secret in secrets} == {43}  # 256 bits, without padding


def test_the_letters_of_one_role_with_the_name_of_another_are_no_right(table: Table) -> None:
    secret = table.tokens["viewer"].partition(".")[2]
    for clear in ("host0", "scorer0", "viewer1", "viewer"):
        assert asked(table, f"Bearer {clear}.{secret}") == 404


def test_an_evening_has_one_address_and_no_other_spelling(table: Table) -> None:
    right = {"Authorization": f"Bearer {table.tokens['host']}"}
    for other in (table.id.upper(), table.id.replace("-", ""), f"{{{table.id}}}", "x"):
        assert table.client.get(f"/v1/sessions/{other}", headers=right).status_code == 404


def test_who_may_too_little_hears_what_he_is_and_what_it_takes(table: Table) -> None:
    refused = table.act(OPEN, role="viewer", match="*")
    told = refused.json
    assert (refused.status_code, told["role"], told["needed"]) == (403, "viewer", "scorer")
    assert told["code"] == "role_too_low"
    told = table.write("/code", {}, role="scorer").json
    assert (told["role"], told["needed"]) == ("scorer", "host")


@pytest.mark.parametrize("https", [False, True])
def test_the_cookie_is_read_by_no_script_and_goes_to_no_other_site(
    table: Table, https: bool
) -> None:
    right = {"Authorization": f"Bearer {table.tokens['viewer']}"}
    base = "https://localhost" if https else "http://localhost"
    answer = table.client.put(f"{table.here}/cookie", headers=right, base_url=base)
    name, *rest = answer.headers["Set-Cookie"].split("; ")
    prefix = "__Host-" if https else ""
    assert name == f"{prefix}vola-{table.id}={table.tokens['viewer']}"
    assert ("Secure" in rest) is https
    assert {"HttpOnly", "Path=/", "SameSite=Strict", "Max-Age=34560000"} <= set(rest)


# Phones


def test_a_phone_s_token_is_of_one_phone_of_one_evening(table: Table, open_table: Any) -> None:
    one, two = let_in(table), let_in(table)
    other = open_table()
    let_in(other)
    assert asked(table, f"Bearer {one['token']}") == 200
    assert asked(other, f"Bearer {one['token']}") == 404
    swapped = f"{two['id']}.{one['token'].partition('.')[2]}"
    assert asked(table, f"Bearer {swapped}") == 404
    assert asked(table, f"Bearer x{one['token']}") == 404


@pytest.mark.parametrize(("role", "reads", "writes"), [("viewer", 200, 403), ("scorer", 200, 201)])
def test_a_phone_may_what_its_role_may(table: Table, role: str, reads: int, writes: int) -> None:
    phone = let_in(table, role=role)
    assert table.get(role=phone["id"]).status_code == reads
    assert table.act(OPEN, role=phone["id"], match="*").status_code == writes
    assert table.get("/code", role=phone["id"]).status_code == 403


def test_a_phone_is_listed_with_what_is_known_of_it(table: Table) -> None:
    let_in(table, "Bos telefon", role="viewer", player="p2")
    let_in(table, "Adas telefon")
    table.write("/phones/phone2", method="DELETE")
    one, two = table.get("/phones").json["phones"]
    assert (one["id"], one["label"], one["role"], one["player"]) == (
        "phone1",
        "Bos telefon",
        "viewer",
        "p2",
    )
    assert (two["role"], two["player"], one["ended_at"]) == ("host", None, None)
    assert timedelta(minutes=-1) < soon(one["made_at"]) <= timedelta()
    assert one["made_at"] <= two["made_at"] <= two["ended_at"]
    assert timedelta(minutes=-1) < soon(two["ended_at"]) <= timedelta()


def test_shut_out_twice_it_has_been_out_since_the_first_time(table: Table) -> None:
    let_in(table)
    first = table.write("/phones/phone1", method="DELETE").json
    assert first["id"] == "phone1"
    assert table.write("/phones/phone1", method="DELETE").json == first


def test_a_phone_is_called_by_its_name_and_not_by_another(table: Table) -> None:
    let_in(table)
    for other in ("p1", "phone", "1", "knock1", "phone01"):
        assert table.write(f"/phones/{other}", method="DELETE").status_code == 404
    assert table.get(role="phone1").status_code == 200


def test_shutting_out_one_phone_leaves_those_of_other_evenings(
    table: Table, open_table: Any
) -> None:
    other = open_table()
    let_in(table)
    theirs = let_in(other)
    table.write("/phones/phone1", method="DELETE")
    assert asked(other, f"Bearer {theirs['token']}") == 200


def test_numbers_end_somewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "MOST_EVER", 1)
    let_in(table)
    refused = table.write("/phones", {"label": "y"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_phones")


# Links


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_one_link_ends_and_the_others_go_on(table: Table, open_table: Any, role: str) -> None:
    other = open_table()
    made = table.write(f"/links/{role}", method="DELETE")
    assert (made.status_code, made.json["role"]) == (200, role)
    assert [link["role"] for link in made.json["links"]] == ["host", "scorer", "viewer"]
    for kept in {"host", "scorer", "viewer"} - {role}:
        assert table.get(role=kept).status_code == 200
    assert table.get(role=role).status_code == 404
    assert other.get(role=role).status_code == 200
    again = table.write(f"/links/{role}", method="DELETE").json["links"]
    new = next(link["path"] for link in again if link["role"] == role).rpartition("/")[2]
    assert new.startswith(f"{role}2.")
    assert asked(table, f"Bearer {new}") == 200


def test_there_is_no_link_of_any_other_name(table: Table) -> None:
    refused = table.write("/links/owner", method="DELETE")
    assert (refused.status_code, refused.json["code"]) == (404, "not_found")


# PINs


def test_a_pin_says_whose_it_is(table: Table) -> None:
    assert table.write("/players/p2/pin", {"pin": "4711"}, method="PUT").json == {
        "player": "p2",
        "pin": True,
    }
    table.write("/players/p1/pin", {"pin": "1234"}, method="PUT")
    assert table.get("/phones").json["pins"] == ["p1", "p2"]
    needed = table.write("/phones", {"label": "x", "player": "p2"}).json
    wrong = table.write("/phones", {"label": "x", "player": "p2", "pin": "1234"}).json
    assert (needed["player"], wrong["player"]) == ("p2", "p2")
    assert table.write("/players/p2/pin", method="DELETE").json == {"player": "p2", "pin": False}
    assert table.get("/phones").json["pins"] == ["p1"]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_there_is_no_pin_of_somebody_who_is_not_here(table: Table, method: str) -> None:
    body = {"pin": "4711"} if method == "PUT" else None
    refused = table.write("/players/p9/pin", body, method=method)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_player")
    assert refused.json["player"] == "p9"


def test_a_pin_of_one_evening_is_asked_for_in_no_other(table: Table, open_table: Any) -> None:
    other = open_table()
    table.write("/players/p1/pin", {"pin": "4711"}, method="PUT")
    let_in(other, player="p1")
    other.write("/players/p1/pin", method="DELETE")
    assert table.get("/phones").json["pins"] == ["p1"]


# The door


def test_a_code_is_six_letters_that_are_like_no_others_and_good_for_two_hours(
    table: Table,
) -> None:
    made = table.write("/code", {}).json
    assert len(made["code"]) == 6
    assert set(made["code"]) <= set("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
    assert timedelta(minutes=119) < soon(made["until"]) <= timedelta(minutes=120)
    assert table.get("/code").json == made


def test_a_code_that_has_run_out_can_be_another_evening_s(
    table: Table, open_table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = iter("ABCDEF" * 2 + "GHJKLM")
    monkeypatch.setattr(door.secrets, "choice", lambda _: next(letters))
    monkeypatch.setattr(door, "OPEN_SECONDS", -1)
    assert table.write("/code", {}).json["code"] == "ABCDEF"
    monkeypatch.setattr(door, "OPEN_SECONDS", 60)
    other = open_table()
    assert other.write("/code", {}).json["code"] == "ABCDEF"
    assert knock(table, "ABCDEF").json["session"] == other.id


def test_a_code_that_is_taken_is_given_to_nobody_else(
    table: Table, open_table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = iter("NPQRST" * 2 + "UVWXYZ")
    monkeypatch.setattr(door.secrets, "choice", lambda _: next(letters))
    assert table.write("/code", {}).json["code"] == "NPQRST"
    assert open_table().write("/code", {}).json["code"] == "UVWXYZ"
    assert knock(table, "NPQRST").json["session"] == table.id


def test_shutting_one_door_shuts_no_other(table: Table, open_table: Any) -> None:
    other = open_table()
    code = other.write("/code", {}).json["code"]
    table.write("/code", {})
    table.write("/code", method="DELETE")
    assert other.get("/code").json["code"] == code


def test_who_knocks_is_shown_until_he_has_his_answer(table: Table) -> None:
    code = table.write("/code", {}).json["code"]
    at_door = knock(table, code, role="viewer").json
    assert (at_door["knock"], at_door["status"]) == (1, "waiting")
    (who,) = table.get("/knocks").json["knocks"]
    assert timedelta(minutes=-1) < soon(who.pop("made_at")) <= timedelta()
    assert who == {"knock": 1, "label": "Bos telefon", "role": "viewer"}
    table.write("/knocks/1", {}, method="PUT")
    (phone,) = table.get("/phones").json["phones"]
    assert (phone["role"], phone["label"], phone["player"]) == ("viewer", "Bos telefon", None)


def test_an_answer_stands(table: Table) -> None:
    code = table.write("/code", {}).json["code"]
    knock(table, code)
    table.write("/knocks/1", {}, method="PUT")
    for method, body in (("DELETE", None), ("PUT", {})):
        late = table.write("/knocks/1", body, method=method)
        assert (late.status_code, late.json["code"]) == (409, "already_answered")
        assert late.json["knock"] == 1
    assert len(table.get("/phones").json["phones"]) == 1


def test_a_refusal_said_twice_is_said_once(table: Table) -> None:
    code = table.write("/code", {}).json["code"]
    knock(table, code)
    for _ in range(2):
        assert table.write("/knocks/1", method="DELETE").json == {
            "knock": 1,
            "status": "refused",
            "phone": None,
        }
    assert table.get("/phones").json["phones"] == []


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_there_is_no_answer_to_somebody_who_has_not_knocked(table: Table, method: str) -> None:
    body: Any = {} if method == "PUT" else None
    refused = table.write("/knocks/7", body, method=method)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_knock")
    assert refused.json["knock"] == 7


def test_a_phone_s_token_hears_no_knock_and_a_knock_s_is_no_phone_s(table: Table) -> None:
    code = table.write("/code", {}).json["code"]
    token = knock(table, code).json["token"]
    phone = let_in(table)["token"]
    assert token.startswith("knock1.")
    assert asked(table, f"Bearer {token}", "/knock") == 200
    assert asked(table, f"Bearer {phone}", "/knock") == 404
    assert asked(table, f"Bearer phone1.{token.partition('.')[2]}") == 404
    assert asked(table, f"Bearer knock1.{phone.partition('.')[2]}", "/knock") == 404
    assert asked(table, None, "/knock") == 404


def test_a_knock_hears_its_own_answer_and_no_other_s(table: Table) -> None:
    code = table.write("/code", {}).json["code"]
    token = knock(table, code).json["token"]
    headers = {"Idempotency-Key": "another knock"}
    table.client.post("/v1/knocks", json={"code": code, "label": "y"}, headers=headers)
    table.write("/knocks/2", {}, method="PUT")
    second = f"knock2.{token.partition('.')[2]}"
    assert asked(table, f"Bearer {second}", "/knock") == 404
    for nowhere in ("x", table.id.upper()):
        heard = table.client.get(
            f"/v1/sessions/{nowhere}/knock", headers={"Authorization": f"Bearer {token}"}
        )
        assert heard.status_code == 404


def test_knocks_end_somewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_EVER", 0)
    code = table.write("/code", {}).json["code"]
    refused = knock(table, code)
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_knocks")


# Circles


def test_who_may_too_little_in_a_circle_hears_so_too(client: FlaskClient) -> None:
    circle = founded(client, "Ada", "Bo", "Cilla")
    refused = client.get(
        f"/v1/circles/{circle.id}/links",
        headers={"Authorization": f"Bearer {circle.tokens['scorer']}"},
    )
    told = refused.json
    assert told is not None
    assert (refused.status_code, told["code"]) == (403, "role_too_low")
    assert (told["role"], told["needed"]) == ("scorer", "host")


def test_a_circle_s_link_of_an_earlier_generation_is_worth_nothing(
    client: FlaskClient, app: Flask
) -> None:
    circle = founded(client, "Ada", "Bo", "Cilla")
    right = {"Authorization": f"Bearer {circle.tokens['viewer']}"}
    assert client.get(f"/v1/circles/{circle.id}", headers=right).status_code == 200
    with app.extensions["store"].pool.connection() as db:
        db.execute(
            "UPDATE vola.circles SET tokens = ARRAY[0, 0, 1] WHERE circle_id = %(id)s",
            {"id": circle.id},
        )
    assert client.get(f"/v1/circles/{circle.id}", headers=right).status_code == 404
    for kept in ("host", "scorer"):
        right = {"Authorization": f"Bearer {circle.tokens[kept]}"}
        assert client.get(f"/v1/circles/{circle.id}", headers=right).status_code == 200
