"""A host who ends the link that he uses keeps access: the response has the next link."""

from __future__ import annotations

from uuid import uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from api.rate_limit.enforcement import RateLimits
from ledger.groups import link_rotation as link_rotation
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.group_requests import (
    client_with_new_links,
    end_link,
    send_operation,
    status_and_code,
    tokens_by_role,
)
from tests.support.player_names import FIVE_NAMES


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return create_group(app.test_client(use_cookies=False), *FIVE_NAMES)


def test_the_response_to_a_host_has_the_next_link(group: GroupClient) -> None:
    after = client_with_new_links(group, end_link(group, "host"))
    assert after.get(role="host").status_code == 200
    assert status_and_code(group.get(role="host")) == (404, "unknown_group")
    assert group.get(role="scorer").status_code == 200
    assert end_link(after, "host").status_code == 201


def test_a_browser_gets_the_next_link_as_a_cookie(group: GroupClient, app: Flask) -> None:
    browser = app.test_client()
    send_operation(browser, group.id, "cookie", Authorization=f"Bearer {group.tokens['host']}")
    for link, sets in (("viewer", False), ("host", True)):
        answer = browser.post(
            f"{group.path}/links/{link}/rotation",
            json={},
            headers={"Idempotency-Key": str(uuid4())},
        )
        assert answer.status_code == 201
        assert ("Set-Cookie" in answer.headers) == sets
    for sign in ("HttpOnly", "SameSite=Strict", "Max-Age=34560000", "Path=/"):
        assert sign in answer.headers["Set-Cookie"]
    assert send_operation(browser, group.id, "links").status_code == 200
    cookie = browser.get_cookie("vola")
    assert cookie is not None
    assert cookie.value.endswith(f":{client_with_new_links(group, answer).tokens['host']}")
    assert group.tokens["host"] not in cookie.value


def test_a_client_without_a_cookie_gets_none(group: GroupClient) -> None:
    assert "Set-Cookie" not in end_link(group, "host").headers


def test_a_host_who_lost_the_response_gets_a_replay_of_it(group: GroupClient, app: Flask) -> None:
    """The link is ended and the response is lost: without a replay the host would lose access."""
    key = str(uuid4())
    lost = end_link(group, "host", key=key)
    replayed = end_link(group, "host", key=key)
    assert replayed.data == lost.data
    assert replayed.headers["Idempotency-Replayed"] == "true"
    assert client_with_new_links(group, replayed).get("/links", role="host").status_code == 200
    browser = app.test_client()
    browser.set_cookie(f"vola-{group.id}", group.tokens["host"])
    response = browser.post(
        f"{group.path}/links/host/rotation", json={}, headers={"Idempotency-Key": key}
    )
    assert response.status_code == 201
    assert send_operation(browser, group.id, "links").status_code == 200


def send_wrong_request(name: str, group: GroupClient, key: str) -> TestResponse:
    """Return the response to a person who has found the ended link and sends a wrong request."""
    match name:
        case "another key":
            return end_link(group, "host")
        case "no key":
            return group.client.post(
                f"{group.path}/links/host/rotation",
                json={},
                headers={"Authorization": f"Bearer {group.tokens['host']}"},
            )
        case "the same key for another link":
            return end_link(group, "viewer", key=key)
        case "the same key and more":
            return end_link(group, "host", body={"sessions": True}, key=key)
        case "the same key and nonsense":
            return end_link(group, "host", body={"sessions": "x"}, key=key)
        case "the same key for no link":
            return end_link(group, "nobody", key=key)
        case "the same key for something else":
            return group.write("/members", {"name": "Fia"}, key=key)
        case "the scorer's link":
            return end_link(group, "host", "scorer", key=key)
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    [
        "another key",
        "the same key for another link",
        "the same key and more",
        "the same key and nonsense",
        "the same key for no link",
        "the same key for something else",
    ],
)
def test_any_other_request_with_the_ended_link_is_refused(group: GroupClient, name: str) -> None:
    key = str(uuid4())
    after = client_with_new_links(group, end_link(group, "host", key=key))
    assert status_and_code(send_wrong_request(name, group, key)) == (404, "unknown_group")
    assert tokens_by_role(after.get("/links", role="host").json) == after.tokens
    assert len(after.state["members"]) == 5


def test_another_valid_link_gets_the_usual_refusals(group: GroupClient) -> None:
    key = str(uuid4())
    end_link(group, "host", key=key)
    assert status_and_code(send_wrong_request("the scorer's link", group, key)) == (
        403,
        "role_too_low",
    )
    assert status_and_code(send_wrong_request("no key", group, key)) == (
        400,
        "idempotency_key_missing",
    )


def test_the_key_without_the_ended_link_gets_no_replay(group: GroupClient, app: Flask) -> None:
    other_group = create_group(app.test_client(use_cookies=False), *FIVE_NAMES)
    viewer = group.tokens["viewer"]
    key, secret = str(uuid4()), viewer.partition(".")[2]
    group = client_with_new_links(group, end_link(group, "viewer"))
    end_link(group, "host", key=key)
    no_group = GroupClient(group.client, str(uuid4()), group.tokens)
    unknown = end_link(no_group, "host", key=key)
    for token in (
        viewer,
        f"host0.{secret}",
        "host0." + "A" * 43,
        "x",
        *other_group.tokens.values(),
    ):
        stranger = GroupClient(group.client, group.id, {"host": token})
        assert end_link(stranger, "host", key=key).data == unknown.data
    assert status_and_code(unknown) == (404, "unknown_group")


def test_a_short_key_gets_no_replay(group: GroupClient) -> None:
    """Otherwise a finder of the link could try the keys `1`, `2`, `3` and become the host."""
    after = client_with_new_links(group, end_link(group, "host", key="a" * 21))
    assert status_and_code(end_link(group, "host", key="a" * 21)) == (404, "unknown_group")
    assert [end_link(after, "host", key="b" * 22).status_code for _ in range(2)] == [201, 201]


def test_after_a_day_there_is_no_replay(
    group: GroupClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = str(uuid4())
    end_link(group, "host", key=key)
    assert end_link(group, "host", key=key).status_code == 201
    monkeypatch.setattr(link_rotation, "REPEAT_WINDOW_MICROS", -1)
    assert status_and_code(end_link(group, "host", key=key)) == (404, "unknown_group")


def test_there_is_no_replay_once_the_next_link_has_ended_too(group: GroupClient) -> None:
    key = str(uuid4())
    after = client_with_new_links(group, end_link(group, "host", key=key))
    end_link(after, "host")
    assert status_and_code(end_link(group, "host", key=key)) == (404, "unknown_group")


def test_the_next_link_is_checked_again_under_the_lock(
    group: GroupClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = str(uuid4())
    end_link(client_with_new_links(group, end_link(group, "host", key=key)), "host")
    monkeypatch.setattr(app.extensions["groups"], "generations", lambda _: (1, 0, 0))
    assert status_and_code(end_link(group, "host", key=key)) == (404, "unknown_group")


def test_the_ended_link_gets_no_replay_of_earlier_requests(group: GroupClient) -> None:
    """A replay would show a thief the current links, the host's included."""
    key = str(uuid4())
    end_link(group, "viewer", key=key)
    end_link(group, "host")
    assert status_and_code(end_link(group, "viewer", key=key)) == (404, "unknown_group")


def test_requests_with_the_ended_link_count_as_unauthenticated(app: Flask) -> None:
    limited = create_app(app.extensions["store"].pool, rate_limits=RateLimits())
    group = create_group(limited.test_client(use_cookies=False), *FIVE_NAMES)
    end_link(group, "host", key="x" * 30)
    tries = [end_link(group, "host").status_code for _ in range(62)]
    assert set(tries[:59]) == {404}
    assert tries[-1] == 429
