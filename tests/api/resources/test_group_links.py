"""An ended link of a group gives no access from then on, not even to a waiting request."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.group_requests import (
    OPERATIONS,
    client_with_new_links,
    end_link,
    send_operation,
    status_and_code,
    tokens_by_role,
)
from tests.support.api.session_client import SessionClient, keys
from tests.support.player_names import FIVE_NAMES

ROLES = ("host", "scorer", "viewer")
MEMBERS = {"p1": "m1", "p2": "m2", "p3": "m3", "p4": "m4"}
guests = count(1)


@pytest.fixture
def group(app: Flask) -> GroupClient:
    return create_group(app.test_client(use_cookies=False), *FIVE_NAMES)


@pytest.mark.parametrize("link", ROLES)
def test_the_link_of_a_role_ends_and_another_takes_its_place(group: GroupClient, link: str) -> None:
    before = tokens_by_role(group.get("/links", role="host").json)
    assert before == group.tokens
    answer = end_link(group, link)
    document: Any = answer.json
    assert document["role"] == link
    assert all(item["qr"].startswith("<svg ") and item["url"] for item in document["links"])
    after = client_with_new_links(group, answer)
    assert {role for role in ROLES if after.tokens[role] != before[role]} == {link}
    assert after.tokens[link].startswith(f"{link}1.")
    assert after.get(role=link).status_code == 200
    assert tokens_by_role(after.get("/links", role="host").json) == after.tokens


@pytest.mark.parametrize("link", ROLES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_ended_link_gives_no_access_to_any_operation(
    group: GroupClient, app: Flask, link: str, operation: str
) -> None:
    """The response is that for an unknown group, so the links to its sessions are hidden, too."""
    group.open_session("m1", "m2", "m3")
    after = client_with_new_links(group, end_link(group, link))
    stranger, browser = app.test_client(use_cookies=False), app.test_client()
    old = {"Authorization": f"Bearer {group.tokens[link]}"}
    browser.set_cookie(f"vola-{group.id}", group.tokens[link])
    unknown = send_operation(stranger, str(uuid4()), operation, **old)
    assert status_and_code(unknown) == (404, "unknown_group")
    assert send_operation(stranger, group.id, operation, **old).data == unknown.data
    assert send_operation(browser, group.id, operation).data == unknown.data
    assert len(after.state["members"]) == 5


def test_only_a_cookie_of_the_current_link_gives_access(group: GroupClient, app: Flask) -> None:
    browser = app.test_client()
    credentials = {"Authorization": f"Bearer {group.tokens['viewer']}"}
    assert send_operation(browser, group.id, "cookie", **credentials).status_code == 204
    assert send_operation(browser, group.id, "look").status_code == 200
    after = client_with_new_links(group, end_link(group, "viewer"))
    assert send_operation(browser, group.id, "look").status_code == 404
    credentials = {"Authorization": f"Bearer {after.tokens['viewer']}"}
    assert send_operation(browser, group.id, "cookie", **credentials).status_code == 204
    assert send_operation(browser, group.id, "look").status_code == 200


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_the_host_ends_links(group: GroupClient, role: str) -> None:
    for link in (*ROLES, "nobody"):
        assert status_and_code(end_link(group, link, role)) == (403, "role_too_low")
    assert tokens_by_role(group.get("/links", role="host").json) == group.tokens


@pytest.mark.parametrize("link", ["Host", "phone1", "host0", "0", " scorer"])
def test_ending_an_unknown_link_is_refused(group: GroupClient, link: str) -> None:
    assert status_and_code(end_link(group, link)) == (404, "not_found")


def test_a_repeated_request_ends_one_link(group: GroupClient) -> None:
    first, second = (end_link(group, "scorer", key="short") for _ in range(2))
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert first.headers["Location"] == second.headers["Location"] == f"{group.path}/links"
    assert status_and_code(end_link(group, "viewer", key="short")) == (
        422,
        "idempotency_key_reused",
    )
    assert (
        client_with_new_links(group, end_link(group, "scorer"))
        .tokens["scorer"]
        .startswith("scorer2.")
    )


def test_a_replay_shows_the_links_as_they_are_now(group: GroupClient) -> None:
    """If it showed the links of that time, the host would pass on a link that no longer works."""
    end_link(group, "viewer", key="first")
    end_link(group, "viewer")
    assert (
        client_with_new_links(group, end_link(group, "viewer", key="first"))
        .tokens["viewer"]
        .startswith("viewer2.")
    )


def test_no_stored_reply_contains_a_token_and_the_audit_is_clean(
    group: GroupClient, session: SessionClient, app: Flask
) -> None:
    body = {"token": session.tokens["host"], "members": MEMBERS}
    assert group.write(f"/sessions/{session.id}", body, method="PUT").status_code == 200
    for link in ("viewer", "scorer", "host"):
        group = client_with_new_links(group, end_link(group, link))
    with app.extensions["store"].pool.connection() as db:
        rows = db.execute(
            "SELECT operands::text FROM vola.group_stored_replies WHERE group_id = %s",
            (group.id,),
        ).fetchall()
    assert len(rows) == 5
    secrets = [token.partition(".")[2] for token in group.tokens.values()]
    assert not any(secret in text for (text,) in rows for secret in secrets)
    assert session.get("/audit").json["findings"] == []


# Requests that wait while the link ends


@pytest.mark.parametrize(
    "write",
    [
        lambda group: group.write("/members", {"name": f"Fia {next(guests)}"}, role="scorer"),
        lambda group: group.write(
            "/sessions", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}, role="scorer"
        ),
        lambda group: group.write("/members/m5/name", method="DELETE", role="host"),
        lambda group: end_link(group, "viewer"),
        lambda group: end_link(group, "host", key=f"{next(keys)}".zfill(40)),
    ],
    ids=["join", "gather", "forget", "end a link", "end the host's own"],
)
def test_a_request_whose_link_ended_while_it_waited_writes_nothing(
    group: GroupClient,
    app: Flask,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[GroupClient], Any],
) -> None:
    """Access was granted before the link ended, and the group was locked after it."""
    before = group.state
    load = app.extensions["groups"].load

    def load_with_ended_link(group_id: UUID) -> Any:
        stored_group = load(group_id)
        with app.extensions["store"].pool.connection() as db:
            db.execute(
                "UPDATE vola.groups SET token_generations = '{1,1,0}' WHERE group_id = %s",
                (group_id,),
            )
        return stored_group

    monkeypatch.setattr(app.extensions["groups"], "load", load_with_ended_link)
    assert status_and_code(write(group)) == (404, "unknown_group")
    monkeypatch.undo()
    assert group.state == before


def test_of_two_hosts_who_end_one_link_at_once_one_loses_access(
    group: GroupClient, app: Flask
) -> None:
    """Otherwise each would hold a link that the other has ended, and not know it."""
    clients = [
        GroupClient(app.test_client(use_cookies=False), group.id, group.tokens) for _ in range(2)
    ]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda client: end_link(client, "host"), clients))
    assert sorted(answer.status_code for answer in answers) == [201, 404]
    (answer,) = (answer for answer in answers if answer.status_code == 201)
    after = client_with_new_links(group, answer)
    assert after.tokens["host"].startswith("host1.")
    assert after.get("/links", role="host").status_code == 200


def test_a_request_sent_many_times_at_once_gets_one_response(
    group: GroupClient, app: Flask
) -> None:
    key = str(uuid4())
    ten = [
        GroupClient(app.test_client(use_cookies=False), group.id, group.tokens) for _ in range(10)
    ]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda client: end_link(client, "host", key=key), ten))
    assert {(answer.status_code, answer.data) for answer in answers} == {(201, answers[0].data)}
    assert [a.headers.get("Idempotency-Replayed") for a in answers].count(None) == 1


# Sessions


def session_tokens(group: GroupClient, role: str = "viewer") -> list[str]:
    """Return the tokens in the session links that the group shows to this role."""
    evenings: Any = group.get(role=role).json
    return [evening["path"].rpartition("/")[2] for evening in evenings["sessions"]]


def test_session_links_work_on_unless_they_are_ended_too(group: GroupClient) -> None:
    sessions = [group.open_session("m1", "m2", "m3"), group.open_session("m2", "m3", "m4")]
    phone = sessions[0].write("/devices", {"label": "x", "role": "viewer"}).json["token"]
    old = session_tokens(group)
    after = client_with_new_links(group, end_link(group, "viewer"))
    assert session_tokens(after) == old
    assert [t.get().status_code for t in sessions] == [200, 200]
    after = client_with_new_links(after, end_link(after, "viewer", body={"sessions": True}))
    new = session_tokens(after)
    for session, was, is_now in zip(sessions, old, new, strict=True):
        session.tokens |= {"old": was, "new": is_now, "phone": phone}
        assert [session.get(role=r).status_code for r in ("old", "new")] == [404, 200]
        assert session.get(role="scorer").status_code == 200
        assert session.get("/audit").json["findings"] == []
    assert sessions[0].get(role="phone").status_code == 200


def test_the_sessions_of_other_groups_are_not_changed(
    group: GroupClient, session: SessionClient, app: Flask
) -> None:
    other_group = create_group(app.test_client(use_cookies=False), *FIVE_NAMES)
    theirs, alone = other_group.open_session("m1", "m2", "m3"), session
    end_link(group, "viewer", body={"sessions": True})
    for untouched in (theirs, alone):
        assert untouched.get(role="viewer").status_code == 200
    assert other_group.get().status_code == 200


def test_a_repeated_request_ends_session_links_once(group: GroupClient) -> None:
    group.open_session("m1", "m2", "m3")
    key = str(uuid4())
    for _ in range(2):
        after = client_with_new_links(
            group, end_link(group, "scorer", body={"sessions": True}, key=key)
        )
    assert [token.partition(".")[0] for token in session_tokens(after, "scorer")] == ["scorer1"]
    assert status_and_code(end_link(group, "scorer", key=key)) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("flag", [1, "True", "", "true", None])
def test_a_flag_that_is_not_a_boolean_is_refused(group: GroupClient, flag: Any) -> None:
    refused = end_link(group, "viewer", body={"sessions": flag})
    assert status_and_code(refused) == (422, "wrong_shape")
    problem: Any = refused.json
    assert problem["errors"][0]["pointer"] == "/sessions"
