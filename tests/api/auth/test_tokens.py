"""What a token grants and what it does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.auth.tokens import (
    derive_numbered_token,
    derive_token,
    group_tokens,
    session_tokens,
)
from ledger.access import devices, join_requests
from tests.support.api.group_client import create_group
from tests.support.api.session_client import SessionClient

PRINTED_TOKENS = {
    "host": "host0.Z_8_zNhTr9sIIYLfo6n17PRFT-qcoaWKr0JizrVsi5A",
    "scorer": "scorer2.pU3qQBZeu0HFCzfmYMWThgjLjmxy4nrLkvgB53Cr2x4",
    "phone": "phone3.vFM3zbtPB0QP_KFJNubZfBhQUTqwo1Gn7j6RYk4pSqc",
}
PRINTED_GROUP_TOKENS = {
    "host": "host0.4BkABuR34CmyYnQ0KDmJEDS2yhuzN7r7Y4QZEWcjRHM",
    "scorer": "scorer5.CgLI4uZVQzIIl7twR6H9slmqOI-PDdB_gm9DkrvcyRA",
    "viewer": "viewer0.c9F-9K9YAI0aMs8RC_vAmLzBHTHPcl5FJP98nPS2vFQ",
}
OPEN = {"type": "open_deal"}


def add_device(session: SessionClient, label: str = "x", **more: Any) -> Any:
    answer = session.write("/devices", {"label": label, **more})
    assert answer.status_code == 201, answer.json
    session.tokens[answer.json["id"]] = answer.json["token"]
    return answer.json


def send_join_request(session: SessionClient, code: str, **more: Any) -> Any:
    headers = {"Idempotency-Key": "a knock at somebody's door"}
    body = {"code": code, "label": "Bos telefon", **more}
    return session.client.post("/v1/join-requests", json=body, headers=headers)


def get_status(session: SessionClient, authorization: str | None, path: str = "") -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    return session.client.get(session.path + path, headers=headers).status_code


def time_until(timestamp: str) -> timedelta:
    return datetime.fromisoformat(timestamp) - datetime.now(UTC)


# Tokens


def test_a_printed_link_is_valid_as_long_as_its_generation() -> None:
    """A change to how tokens are derived would invalidate every printed QR code."""
    secret, evening = bytes(range(32)), UUID(int=7)
    assert derive_token(secret, evening, "host") == PRINTED_TOKENS["host"]
    assert derive_token(secret, evening, "scorer", 2) == PRINTED_TOKENS["scorer"]
    assert derive_numbered_token(secret, "phone", evening, 3) == PRINTED_TOKENS["phone"]
    assert group_tokens(secret, evening, (0, 5, 0)) == PRINTED_GROUP_TOKENS
    tokens = session_tokens(secret, evening, (0, 2, 1))
    assert (tokens["host"], tokens["scorer"]) == (PRINTED_TOKENS["host"], PRINTED_TOKENS["scorer"])
    assert tokens["viewer"].startswith("viewer1.")
    assert session_tokens(secret, evening)["scorer"].startswith("scorer0.")


def test_a_token_is_accepted_only_as_a_bearer_token(session: SessionClient) -> None:
    token = session.tokens["viewer"]
    assert get_status(session, f"Bearer {token}") == 200
    assert get_status(session, f"bEARER   {token} ") == 200
    for wrong in (f"Basic {token}", token, f"Bearer {token}x", f"Bearer x{token}", "Bearer", ""):
        assert get_status(session, wrong) == 404
    assert get_status(session, None) == 404


def test_a_wrong_token_is_refused_even_with_a_valid_cookie(session: SessionClient) -> None:
    session.client.put(
        f"{session.path}/cookie", headers={"Authorization": f"Bearer {session.tokens['viewer']}"}
    )
    assert get_status(session, None) == 200
    assert get_status(session, "Bearer nothing") == 404
    assert get_status(session, f"Basic {session.tokens['viewer']}") == 404


def test_a_token_names_its_role_and_generation(
    session: SessionClient,
) -> None:
    parts = {role: session.tokens[role].split(".") for role in ("host", "scorer", "viewer")}
    assert {role: prefix for role, (prefix, _) in parts.items()} == {
        "host": "host0",
        "scorer": "scorer0",
        "viewer": "viewer0",
    }
    secrets = {secret for _, secret in parts.values()}
    assert len(secrets) == 3
    assert {len(secret) for secret in secrets} == {43}  # 256 bits, without padding


def test_a_secret_of_one_role_with_the_prefix_of_another_is_refused(
    session: SessionClient,
) -> None:
    secret = session.tokens["viewer"].partition(".")[2]
    for prefix in ("host0", "scorer0", "viewer1", "viewer"):
        assert get_status(session, f"Bearer {prefix}.{secret}") == 404


def test_a_session_id_has_one_spelling(session: SessionClient) -> None:
    credentials = {"Authorization": f"Bearer {session.tokens['host']}"}
    for spelling in (session.id.upper(), session.id.replace("-", ""), f"{{{session.id}}}", "x"):
        assert (
            session.client.get(f"/v1/sessions/{spelling}", headers=credentials).status_code == 404
        )


def test_a_role_too_low_is_refused_with_the_role_it_needs(session: SessionClient) -> None:
    refused = session.act(OPEN, role="viewer", match="*")
    problem = refused.json
    assert (refused.status_code, problem["role"], problem["needed"]) == (403, "viewer", "scorer")
    assert problem["code"] == "role_too_low"
    problem = session.write("/join-code", {}, role="scorer").json
    assert (problem["role"], problem["needed"]) == ("scorer", "host")


@pytest.mark.parametrize("https", [False, True])
def test_the_cookie_is_hidden_from_scripts_and_other_sites(
    session: SessionClient, https: bool
) -> None:
    credentials = {"Authorization": f"Bearer {session.tokens['viewer']}"}
    base = "https://localhost" if https else "http://localhost"
    answer = session.client.put(f"{session.path}/cookie", headers=credentials, base_url=base)
    name, *rest = answer.headers["Set-Cookie"].split("; ")
    prefix = "__Host-" if https else ""
    assert name.startswith(f"{prefix}vola=")
    assert name.endswith(f":{session.tokens['viewer']}")
    assert ("Secure" in rest) is https
    assert {"HttpOnly", "Path=/", "SameSite=Strict", "Max-Age=34560000"} <= set(rest)


# Devices


def test_a_device_token_belongs_to_one_device_of_one_session(
    session: SessionClient, open_session: Any
) -> None:
    first, second = add_device(session), add_device(session)
    other_session = open_session()
    add_device(other_session)
    assert get_status(session, f"Bearer {first['token']}") == 200
    assert get_status(other_session, f"Bearer {first['token']}") == 404
    swapped = f"{second['id']}.{first['token'].partition('.')[2]}"
    assert get_status(session, f"Bearer {swapped}") == 404
    assert get_status(session, f"Bearer x{first['token']}") == 404


@pytest.mark.parametrize(("role", "reads", "writes"), [("viewer", 200, 403), ("scorer", 200, 201)])
def test_a_device_may_do_what_its_role_may(
    session: SessionClient, role: str, reads: int, writes: int
) -> None:
    phone = add_device(session, role=role)
    assert session.get(role=phone["id"]).status_code == reads
    assert session.act(OPEN, role=phone["id"], match="*").status_code == writes
    assert session.get("/join-code", role=phone["id"]).status_code == 403


def test_a_device_is_listed_with_label_role_and_times(session: SessionClient) -> None:
    add_device(session, "Bos telefon", role="viewer", player="p2")
    add_device(session, "Adas telefon")
    session.write("/devices/phone2", method="DELETE")
    first, second = session.get("/devices").json["devices"]
    assert (first["id"], first["label"], first["role"], first["player"]) == (
        "phone1",
        "Bos telefon",
        "viewer",
        "p2",
    )
    assert (second["role"], second["player"], first["ended_at"]) == ("host", None, None)
    assert timedelta(minutes=-1) < time_until(first["created_at"]) <= timedelta()
    assert first["created_at"] <= second["created_at"] <= second["ended_at"]
    assert timedelta(minutes=-1) < time_until(second["ended_at"]) <= timedelta()


def test_a_second_revocation_of_a_device_changes_nothing(session: SessionClient) -> None:
    add_device(session)
    first = session.write("/devices/phone1", method="DELETE").json
    assert first["id"] == "phone1"
    assert session.write("/devices/phone1", method="DELETE").json == first


def test_a_device_id_has_one_spelling(session: SessionClient) -> None:
    add_device(session)
    for device_id in ("p1", "phone", "1", "knock1", "phone01"):
        assert session.write(f"/devices/{device_id}", method="DELETE").status_code == 404
    assert session.get(role="phone1").status_code == 200


def test_revoking_a_device_leaves_devices_of_other_sessions(
    session: SessionClient, open_session: Any
) -> None:
    other_session = open_session()
    add_device(session)
    device = add_device(other_session)
    session.write("/devices/phone1", method="DELETE")
    assert get_status(other_session, f"Bearer {device['token']}") == 200


def test_device_numbers_have_a_limit(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MAX_DEVICE_NUMBER", 1)
    add_device(session)
    refused = session.write("/devices", {"label": "y"})
    assert (refused.status_code, refused.json["code"]) == (409, "no_number_left")


# Links


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_ending_one_link_leaves_the_others(
    session: SessionClient, open_session: Any, role: str
) -> None:
    other_session = open_session()
    ended = session.write(f"/links/{role}/rotation", {})
    assert (ended.status_code, ended.json["role"]) == (201, role)
    assert [link["role"] for link in ended.json["links"]] == ["host", "scorer", "viewer"]
    for remaining in {"host", "scorer", "viewer"} - {role}:
        assert session.get(role=remaining).status_code == 200
    assert session.get(role=role).status_code == 404
    assert other_session.get(role=role).status_code == 200
    links = session.write(f"/links/{role}/rotation", {}).json["links"]
    new = next(link["path"] for link in links if link["role"] == role).rpartition("/")[2]
    assert new.startswith(f"{role}2.")
    assert get_status(session, f"Bearer {new}") == 200


def test_an_unknown_role_has_no_link(session: SessionClient) -> None:
    refused = session.write("/links/owner/rotation", {})
    assert (refused.status_code, refused.json["code"]) == (404, "not_found")


# Join codes and join requests


def test_a_join_code_has_six_clear_letters_and_lasts_two_hours(
    session: SessionClient,
) -> None:
    code = session.write("/join-code", {}).json
    assert len(code["code"]) == 6
    assert set(code["code"]) <= set("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
    assert timedelta(minutes=119) < time_until(code["expires_at"]) <= timedelta(minutes=120)
    assert session.get("/join-code").json == code


def test_an_expired_join_code_can_be_reused_by_another_session(
    session: SessionClient, open_session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = iter("ABCDEF" * 2 + "GHJKLM")
    monkeypatch.setattr(join_requests.secrets, "choice", lambda _: next(letters))
    monkeypatch.setattr(join_requests, "CODE_LIFETIME_SECONDS", -1)
    assert session.write("/join-code", {}).json["code"] == "ABCDEF"
    monkeypatch.setattr(join_requests, "CODE_LIFETIME_SECONDS", 60)
    other_session = open_session()
    assert other_session.write("/join-code", {}).json["code"] == "ABCDEF"
    assert send_join_request(session, "ABCDEF").json["session"] == other_session.id


def test_a_join_code_in_use_is_given_to_no_other_session(
    session: SessionClient, open_session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = iter("NPQRST" * 2 + "UVWXYZ")
    monkeypatch.setattr(join_requests.secrets, "choice", lambda _: next(letters))
    assert session.write("/join-code", {}).json["code"] == "NPQRST"
    assert open_session().write("/join-code", {}).json["code"] == "UVWXYZ"
    assert send_join_request(session, "NPQRST").json["session"] == session.id


def test_ending_one_join_code_ends_no_other(session: SessionClient, open_session: Any) -> None:
    other_session = open_session()
    code = other_session.write("/join-code", {}).json["code"]
    session.write("/join-code", {})
    session.write("/join-code", method="DELETE")
    assert other_session.get("/join-code").json["code"] == code


def test_a_join_request_is_listed_until_it_is_answered(session: SessionClient) -> None:
    code = session.write("/join-code", {}).json["code"]
    join_request = send_join_request(session, code, role="viewer").json
    assert (join_request["number"], join_request["status"]) == (1, "pending")
    (listed,) = session.get("/join-requests").json["join_requests"]
    assert timedelta(minutes=-1) < time_until(listed.pop("created_at")) <= timedelta()
    assert listed == {"number": 1, "label": "Bos telefon", "role": "viewer"}
    session.write("/join-requests/1/approval", {})
    (phone,) = session.get("/devices").json["devices"]
    assert (phone["role"], phone["label"], phone["player"]) == ("viewer", "Bos telefon", None)


def test_the_first_answer_to_a_join_request_stands(session: SessionClient) -> None:
    code = session.write("/join-code", {}).json["code"]
    send_join_request(session, code)
    session.write("/join-requests/1/approval", {})
    for path, method, body in (("", "DELETE", None), ("/approval", "POST", {})):
        answer = session.write(f"/join-requests/1{path}", body, method=method)
        assert (answer.status_code, answer.json["code"]) == (409, "already_answered")
        assert answer.json["number"] == 1
    assert len(session.get("/devices").json["devices"]) == 1


def test_refusing_a_join_request_twice_refuses_it_once(session: SessionClient) -> None:
    code = session.write("/join-code", {}).json["code"]
    send_join_request(session, code)
    for _ in range(2):
        assert session.write("/join-requests/1", method="DELETE").json == {
            "number": 1,
            "status": "refused",
        }
    assert session.get("/devices").json["devices"] == []


@pytest.mark.parametrize(
    ("path", "method", "body"), [("/approval", "POST", {}), ("", "DELETE", None)]
)
def test_an_unknown_join_request_cannot_be_answered(
    session: SessionClient, path: str, method: str, body: Any
) -> None:
    refused = session.write(f"/join-requests/7{path}", body, method=method)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_join_request")
    assert refused.json["number"] == 7


def test_device_tokens_and_join_request_tokens_are_not_interchangeable(
    session: SessionClient,
) -> None:
    code = session.write("/join-code", {}).json["code"]
    token = send_join_request(session, code).json["token"]
    device_token = add_device(session)["token"]
    assert token.startswith("join1.")
    assert get_status(session, f"Bearer {token}", "/join-request") == 200
    assert get_status(session, f"Bearer {device_token}", "/join-request") == 404
    assert get_status(session, f"Bearer phone1.{token.partition('.')[2]}") == 404
    assert (
        get_status(session, f"Bearer join1.{device_token.partition('.')[2]}", "/join-request")
        == 404
    )
    assert get_status(session, None, "/join-request") == 404


def test_a_join_request_reads_its_own_answer_only(session: SessionClient) -> None:
    code = session.write("/join-code", {}).json["code"]
    token = send_join_request(session, code).json["token"]
    headers = {"Idempotency-Key": "another knock at the same door"}
    session.client.post("/v1/join-requests", json={"code": code, "label": "y"}, headers=headers)
    session.write("/join-requests/2/approval", {})
    second = f"knock2.{token.partition('.')[2]}"
    assert get_status(session, f"Bearer {second}", "/join-request") == 404
    for session_id in ("x", session.id.upper()):
        answer = session.client.get(
            f"/v1/sessions/{session_id}/join-request", headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 404


def test_join_request_numbers_have_a_limit(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_requests, "MAX_REQUEST_NUMBER", 0)
    code = session.write("/join-code", {}).json["code"]
    refused = send_join_request(session, code)
    assert (refused.status_code, refused.json["code"]) == (409, "no_number_left")


# Groups


def test_a_role_too_low_in_a_group_is_refused_with_the_role_it_needs(client: FlaskClient) -> None:
    group = create_group(client, "Ada", "Bo", "Cilla")
    refused = client.get(
        f"/v1/groups/{group.id}/links",
        headers={"Authorization": f"Bearer {group.tokens['scorer']}"},
    )
    problem = refused.json
    assert problem is not None
    assert (refused.status_code, problem["code"]) == (403, "role_too_low")
    assert (problem["role"], problem["needed"]) == ("scorer", "host")


def test_a_group_link_of_an_earlier_generation_is_refused(client: FlaskClient, app: Flask) -> None:
    group = create_group(client, "Ada", "Bo", "Cilla")
    credentials = {"Authorization": f"Bearer {group.tokens['viewer']}"}
    assert client.get(f"/v1/groups/{group.id}", headers=credentials).status_code == 200
    with app.extensions["store"].pool.connection() as db:
        db.execute(
            "UPDATE vola.groups SET token_generations = ARRAY[0, 0, 1] WHERE group_id = %(id)s",
            {"id": group.id},
        )
    assert client.get(f"/v1/groups/{group.id}", headers=credentials).status_code == 404
    for role in ("host", "scorer"):
        credentials = {"Authorization": f"Bearer {group.tokens[role]}"}
        assert client.get(f"/v1/groups/{group.id}", headers=credentials).status_code == 200
