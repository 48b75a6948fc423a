"""Joining by a short code: it finds the session, the host admits the device, and a stranger learns
nothing."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from ledger.access import join_requests
from tests.support.api.openapi_contract import OPERATIONS, find_errors
from tests.support.api.session_client import SessionClient, get_join_request, request_to_join

keys = count(1)


@pytest.fixture
def code(session: SessionClient) -> str:
    return session.write("/join-code", {}).json["code"]


def test_a_join_request_that_is_admitted_becomes_a_device(
    session: SessionClient, code: str
) -> None:
    join_request = request_to_join(session, code).json
    assert join_request["session"] == session.id
    assert get_join_request(session, join_request["token"]).json == {
        "number": 1,
        "status": "pending",
    }
    (waiting,) = session.get("/join-requests").json["join_requests"]
    assert (waiting["label"], waiting["role"]) == ("Bos telefon", "scorer")
    answer = session.write("/join-requests/1/approval", {}).json
    assert answer == {"number": 1, "status": "approved", "device": "phone1"}
    session.tokens["Bo"] = get_join_request(session, join_request["token"]).json["token"]
    assert session.get(role="Bo").status_code == 200
    assert session.get("/devices").json["devices"][0]["label"] == "Bos telefon"
    assert session.get("/join-requests").json["join_requests"] == []


def test_a_join_request_is_admitted_with_a_role_of_null(session: SessionClient, code: str) -> None:
    join_request = request_to_join(session, code, role="viewer").json
    body = OPERATIONS["approveJoinRequest"]["requestBody"]["content"]["application/json"]["schema"]
    assert find_errors({"role": None}, body) == []
    assert session.write("/join-requests/1/approval", {"role": None}).status_code == 201
    session.tokens["Bo"] = get_join_request(session, join_request["token"]).json["token"]
    assert session.get("/devices").json["devices"][0]["role"] == "viewer"


def test_a_waiting_join_request_grants_no_access(session: SessionClient, code: str) -> None:
    session.tokens["Bo"] = request_to_join(session, code).json["token"]
    unknown = session.get(role="Bo")
    assert (unknown.status_code, unknown.json["code"]) == (404, "unknown_session")
    assert session.write("/join-code", {}, role="Bo").status_code == 404


def test_the_host_may_grant_a_lower_role_than_requested(session: SessionClient, code: str) -> None:
    join_request = request_to_join(session, code, role="scorer").json
    session.write("/join-requests/1/approval", {"role": "viewer"})
    session.tokens["Bo"] = get_join_request(session, join_request["token"]).json["token"]
    assert session.get(role="Bo").status_code == 200
    assert session.act({"type": "open_deal"}, role="Bo", match="*").status_code == 403


def test_a_refused_join_request_reads_its_refusal(session: SessionClient, code: str) -> None:
    join_request = request_to_join(session, code).json
    assert session.write("/join-requests/1", method="DELETE").json["status"] == "refused"
    assert get_join_request(session, join_request["token"]).json["status"] == "refused"
    refused = session.write("/join-requests/1/approval", {})
    assert (refused.status_code, refused.json["code"]) == (409, "already_answered")


def test_a_join_code_may_be_typed_in_any_case_with_separators(
    session: SessionClient, code: str
) -> None:
    assert request_to_join(session, f" {code[:3].lower()}-{code[3:]} ").status_code == 201


def test_a_join_code_that_is_too_long_is_refused(session: SessionClient, code: str) -> None:
    refused = request_to_join(session, code + "x" * 15)
    assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
    assert request_to_join(session, code + " " * 14).status_code == 201


def is_door_shut(session: SessionClient) -> bool:
    answer = session.get("/join-code")
    return (answer.status_code, answer.json["code"]) == (404, "no_join_code")


def test_a_new_join_code_ends_the_one_before(session: SessionClient, code: str) -> None:
    new_code = session.write("/join-code", {}).json["code"]
    assert session.get("/join-code").json["code"] == new_code
    assert request_to_join(session, code).json["code"] == "unknown_join_code"
    assert session.write("/join-code", method="DELETE").json == {"code": None, "expires_at": None}
    assert request_to_join(session, new_code).json["code"] == "unknown_join_code"
    assert is_door_shut(session)


def test_a_join_code_of_a_clock_that_was_ahead_finds_nothing(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the code would admit devices for ten years once the clock is right again."""
    monkeypatch.setattr(join_requests, "CODE_LIFETIME_SECONDS", 10 * 365 * 24 * 3600)
    code = session.write("/join-code", {}).json["code"]
    assert request_to_join(session, code).json["code"] == "unknown_join_code"
    assert is_door_shut(session)


def test_an_expired_join_code_finds_nothing(
    session: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_requests, "CODE_LIFETIME_SECONDS", -1)
    expired = session.write("/join-code", {}).json["code"]
    assert request_to_join(session, expired).status_code == 404
    assert is_door_shut(session)


def test_one_key_sends_one_join_request(session: SessionClient, code: str) -> None:
    first, second = (
        request_to_join(session, code, key="the same knock, sent again") for _ in range(2)
    )
    assert first.data == second.data
    assert len(session.get("/join-requests").json["join_requests"]) == 1


def test_a_join_request_repeated_after_the_code_ended_gets_its_reply(
    session: SessionClient, code: str
) -> None:
    first = request_to_join(session, code, key="sent again once the host is done")
    session.write("/join-code", method="DELETE")
    assert request_to_join(session, code, key="sent again once the host is done").data == first.data
    assert request_to_join(session, code).json["code"] == "unknown_join_code"


def test_a_join_request_repeated_after_a_new_code_gets_its_reply(
    session: SessionClient, code: str
) -> None:
    first = request_to_join(session, code, key="sent again with the code of then")
    for _ in range(2):
        new_code = session.write("/join-code", {}).json["code"]
        again = request_to_join(session, code, key="sent again with the code of then")
        assert again.data == first.data
    assert request_to_join(session, code).json["code"] == "unknown_join_code"
    assert request_to_join(session, new_code).json["number"] == 2


def test_keys_of_join_requests_and_of_the_session_are_separate(
    session: SessionClient, code: str
) -> None:
    assert request_to_join(session, code, key="one key for two requests").status_code == 201
    assert (
        session.act({"type": "open_deal"}, key="one key for two requests", match="*").status_code
        == 201
    )


def test_the_number_of_waiting_join_requests_is_limited(
    session: SessionClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_requests, "MAX_WAITING", 2)
    assert [request_to_join(session, code).status_code for _ in range(3)] == [201, 201, 409]
    session.write("/join-requests/1", method="DELETE")
    assert request_to_join(session, code).status_code == 201


def test_a_join_request_token_reads_nothing_of_another_session(
    session: SessionClient, open_session: Any, code: str
) -> None:
    other_session = open_session()
    token = request_to_join(session, code).json["token"]
    refused = get_join_request(other_session, token)
    unknown = get_join_request(other_session, "join1." + "A" * 43)
    assert (refused.status_code, refused.data) == (404, unknown.data)


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_the_host_handles_join_requests(session: SessionClient, code: str, role: str) -> None:
    request_to_join(session, code)
    for path, method, body in (
        ("/join-code", "POST", {}),
        ("/join-code", "DELETE", None),
        ("/join-requests/1/approval", "POST", {}),
        ("/join-requests/1", "DELETE", None),
    ):
        assert session.write(path, body, method=method, role=role).status_code == 403
    assert session.get("/join-code", role=role).status_code == 403
    assert session.get("/join-requests", role=role).status_code == 403
