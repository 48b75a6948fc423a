"""A join request can be withdrawn: the host no longer sees it, and no device is added."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from flask import Flask
from psycopg.rows import dict_row

from ledger.access import join_requests
from tests.support.api.session_client import SessionClient, get_join_request, request_to_join

keys = count(1)


def withdraw(session: SessionClient, token: str, key: str | None = None) -> Any:
    return session.client.delete(
        f"{session.path}/join-request",
        headers={
            "Authorization": f"Bearer {token}",
            "Idempotency-Key": key or f"withdrawn-{next(keys)}",
            "Accept-Language": "sv",
        },
    )


ANSWERS = [("/join-requests/1/approval", "POST", {}), ("/join-requests/1", "DELETE", None)]


@pytest.fixture
def code(session: SessionClient) -> str:
    return session.write("/join-code", {}).json["code"]


def test_a_withdrawn_join_request_is_no_longer_listed(session: SessionClient, code: str) -> None:
    token = request_to_join(session, code).json["token"]
    withdrawn = withdraw(session, token)
    assert (withdrawn.status_code, withdrawn.json) == (200, {"number": 1, "status": "withdrawn"})
    assert get_join_request(session, token).json == {"number": 1, "status": "withdrawn"}
    assert session.get("/join-requests").json["join_requests"] == []
    assert session.get("/devices").json["devices"] == []


def test_a_second_withdrawal_changes_nothing_even_with_another_key(
    session: SessionClient, code: str
) -> None:
    token = request_to_join(session, code).json["token"]
    first, replay, second = (withdraw(session, token, key=key) for key in ("a", "a", "b"))
    assert first.data == replay.data == second.data
    assert first.status_code == replay.status_code == second.status_code == 200
    assert replay.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in second.headers


def test_two_requesters_may_withdraw_under_the_same_key(session: SessionClient, code: str) -> None:
    tokens = [request_to_join(session, code).json["token"] for _ in range(2)]
    withdrawn = [withdraw(session, token, key="a").json["number"] for token in tokens]
    assert withdrawn == [1, 2]
    assert session.get("/join-requests").json["join_requests"] == []


@pytest.mark.parametrize(("path", "method", "body"), ANSWERS)
def test_an_answered_join_request_cannot_be_withdrawn(
    session: SessionClient, code: str, path: str, method: str, body: Any
) -> None:
    token = request_to_join(session, code).json["token"]
    status = session.write(path, body, method=method).json["status"]
    refused = withdraw(session, token)
    assert (refused.status_code, refused.json["code"], refused.json["number"]) == (
        409,
        "already_answered",
        1,
    )
    assert get_join_request(session, token).json["status"] == status


@pytest.mark.parametrize(("path", "method", "body"), ANSWERS)
def test_a_withdrawn_join_request_cannot_be_answered(
    session: SessionClient, code: str, path: str, method: str, body: Any
) -> None:
    token = request_to_join(session, code).json["token"]
    withdraw(session, token)
    refused = session.write(path, body, method=method)
    assert (refused.status_code, refused.json["code"], refused.json["number"]) == (
        409,
        "join_request_withdrawn",
        1,
    )
    assert get_join_request(session, token).json["status"] == "withdrawn"
    assert session.get("/devices").json["devices"] == []


def test_a_withdrawn_join_request_makes_room_for_another(
    session: SessionClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_requests, "MAX_WAITING", 1)
    withdraw(session, request_to_join(session, code).json["token"])
    assert request_to_join(session, code).json["number"] == 2  # a number is never used again
    assert request_to_join(session, code).status_code == 409
    assert [
        waiting["number"] for waiting in session.get("/join-requests").json["join_requests"]
    ] == [2]


def test_two_join_requests_may_use_the_same_key(session: SessionClient, code: str) -> None:
    """Their senders do not know of each other."""
    first, second = (request_to_join(session, code).json["token"] for _ in range(2))
    assert withdraw(session, first, key="mine").json["number"] == 1
    assert withdraw(session, second, key="mine").json["number"] == 2
    assert session.act({"type": "open_deal"}, key="mine", match="*").status_code == 201


def test_only_its_own_token_withdraws_a_join_request(
    session: SessionClient, open_session: Any, code: str
) -> None:
    tokens = [request_to_join(session, code).json["token"] for _ in range(2)]
    secrets = [token.partition(".")[2] for token in tokens]
    other_session = open_session()
    strangers = [
        withdraw(other_session, tokens[0]),
        *(withdraw(session, token) for token in session.tokens.values()),
        withdraw(session, f"join2.{secrets[0]}"),
        withdraw(session, f"phone1.{secrets[0]}"),
        withdraw(session, "join1." + "A" * 43),
        session.client.delete(
            f"{session.path}/join-request",
            headers={"Idempotency-Key": "k", "Accept-Language": "sv"},
        ),
    ]
    assert {(s.status_code, s.data) for s in strangers} == {(404, strangers[0].data)}
    assert strangers[0].json["code"] == "unknown_session"
    assert len(session.get("/join-requests").json["join_requests"]) == 2


def stored_join_requests(app: Flask, session: SessionClient) -> list[dict[str, Any]]:
    query = "SELECT * FROM vola.join_requests WHERE session_id = %s"
    with app.extensions["store"].pool.connection() as db:
        return db.cursor(row_factory=dict_row).execute(query, (session.id,)).fetchall()


def test_a_withdrawn_join_request_keeps_no_label(
    session: SessionClient, code: str, app: Flask
) -> None:
    withdraw(session, request_to_join(session, code).json["token"])
    assert [row["label"] for row in stored_join_requests(app, session)] == [None]


def test_an_older_server_sees_a_withdrawn_join_request_as_refused(
    session: SessionClient, code: str, app: Flask
) -> None:
    """Servers are replaced one by one; an older one must not admit a withdrawn device."""
    withdraw(session, request_to_join(session, code).json["token"])
    rows = stored_join_requests(app, session)
    assert [(row["device_number"], row["refused"]) for row in rows] == [(None, True)]


@pytest.mark.parametrize("turn", range(3))
def test_of_an_answer_and_a_withdrawal_at_the_same_time_one_wins(
    session: SessionClient, code: str, app: Flask, turn: int
) -> None:
    token = request_to_join(session, code).json["token"]
    with ThreadPoolExecutor(2) as threads:
        host = SessionClient(app.test_client(), session.id, session.tokens)
        answer = threads.submit(host.write, "/join-requests/1/approval", {})
        withdrawal = threads.submit(withdraw, session, token)
        statuses = sorted((answer.result().status_code, withdrawal.result().status_code))
    assert statuses in ([200, 409], [201, 409])  # an approval creates a device
    admitted = answer.result().status_code == 201
    assert get_join_request(session, token).json["status"] == (
        "approved" if admitted else "withdrawn"
    )
    assert len(session.get("/devices").json["devices"]) == admitted
    assert session.get("/audit").json["findings"] == []


def test_a_code_ends_when_too_many_requests_were_withdrawn(
    session: SessionClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or one of its readers could use up all numbers, unseen, and nobody could ask any more."""
    monkeypatch.setattr(join_requests, "MAX_WITHDRAWN", 2)
    for _ in range(2):
        withdraw(session, request_to_join(session, code).json["token"])
    refused = request_to_join(session, code)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_join_code")
    next_code = session.write("/join-code", {}).json["code"]
    assert request_to_join(session, next_code).status_code == 201
