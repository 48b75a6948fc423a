"""Access to a group by role; without a token for it, a group looks like an unknown one."""

from __future__ import annotations

from uuid import uuid4

import pytest
from flask import Flask

from api.auth.tokens import group_tokens
from ledger.groups.groups import GroupStore
from tests.support.api.group_client import GroupClient, create_group, play_deals
from tests.support.api.group_requests import OPERATIONS, ROLE_RANKS, send_operation
from tests.support.api.session_client import SessionClient
from tests.support.player_names import FIVE_NAMES
from tests.support.worked_evenings import E3


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_role_may_do_what_the_roles_below_it_may(group: GroupClient, operation: str) -> None:
    needed = OPERATIONS[operation][3]
    for role, rank in ROLE_RANKS.items():
        credentials = {"Authorization": f"Bearer {group.tokens[role]}"}
        answer = send_operation(group.client, group.id, operation, **credentials)
        code = answer.json["code"] if answer.status_code >= 400 else None
        granted = (None, "unknown_session", "not_found")
        assert code in (("role_too_low",) if rank < ROLE_RANKS[needed] else granted)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_other_token_gives_access_or_reveals_that_a_group_exists(
    group: GroupClient, app: Flask, operation: str
) -> None:
    client = app.test_client()  # without this group's cookie
    other_group = create_group(client, *FIVE_NAMES)
    session = group.open_session("m1", "m2", "m3")
    before = group.get().data
    wrong = [
        {},
        {"Authorization": group.tokens["host"]},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer host0.\u00e5"},
        {"Cookie": f"vola-{other_group.id}={other_group.tokens['host']}"},
        {"Cookie": f"vola-{group.id}={other_group.tokens['host']}"},
        *({"Authorization": f"Bearer {t}"} for t in (*other_group.tokens.values(),
                                                     *session.tokens.values())),
    ]  # fmt: skip
    bodies = set()
    for headers in wrong:
        for group_id in (group.id, str(uuid4()), group.id.upper(), session.id):
            answer = send_operation(client, group_id, operation, **headers)
            assert answer.status_code == 404
            bodies.add(answer.data)
    assert len(bodies) == 1
    assert group.get().data == before


def test_a_wrong_token_is_refused_before_the_group_is_read(
    group: GroupClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a refusal would take longer for a large group than for an unknown one."""
    monkeypatch.setattr(GroupStore, "load", None)
    for group_id in (group.id, str(uuid4())):
        answer = send_operation(app.test_client(), group_id, "look", Authorization="Bearer host0.x")
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_group")


def test_the_first_links_of_an_unknown_group_are_those_of_none(app: Flask) -> None:
    group_id = uuid4()
    for token in group_tokens(app.extensions["session_metadata"].secret, group_id).values():
        answer = send_operation(
            app.test_client(), str(group_id), "look", Authorization=f"Bearer {token}"
        )
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_group")


def test_a_refusal_in_a_group_calls_members_by_their_names(group: GroupClient) -> None:
    assert group.write("/members/m4/departure", {}, role="host").status_code == 201
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m4"]}
    assert group.write("/sessions", body).json["detail"].startswith("Disa ")


def test_the_cookie_is_as_good_as_the_token_in_its_role(group: GroupClient, app: Flask) -> None:
    for role, allowed in (("viewer", 403), ("scorer", 201)):
        client = app.test_client()
        credentials = {"Authorization": f"Bearer {group.tokens[role]}"}
        set_to = send_operation(client, group.id, "cookie", **credentials).headers["Set-Cookie"]
        assert "SameSite=Strict" in set_to
        assert "HttpOnly" in set_to
        assert send_operation(client, group.id, "look").status_code == 200
        assert send_operation(client, group.id, "join").status_code == allowed


def test_a_viewer_of_a_group_is_shown_viewer_links_only(group: GroupClient) -> None:
    play_deals(group.open_session(), E3)
    text = group.get().data + group.get("/standings").data
    assert b"viewer0." in text
    assert b"host0." not in text
    assert b"scorer0." not in text


def test_no_stored_reply_contains_a_token(
    group: GroupClient, app: Flask, session: SessionClient
) -> None:
    """No stored reply contains a token, so an auditor who reads it gets no access to a session."""
    group.open_session("m1", "m2", "m3")
    body = {"token": session.tokens["host"], "members": {"p1": "m1"}}
    first = group.write(f"/sessions/{session.id}", body, method="PUT", key="add")
    assert b"viewer0." in first.data
    assert group.write(f"/sessions/{session.id}", body, method="PUT", key="add").data == first.data
    with app.extensions["store"].pool.connection() as db:
        rows = db.execute(
            "SELECT operands::text FROM vola.stored_replies UNION ALL"
            " SELECT operands::text FROM vola.group_stored_replies"
        ).fetchall()
    assert [
        text for (text,) in rows if any(f"{role}0." in (text or "") for role in ROLE_RANKS)
    ] == []


def test_a_client_s_key_is_never_taken_for_a_group_s(group: GroupClient) -> None:
    """Otherwise a client that knows the group's id could use the key of its next session first."""
    answer = group.client.post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": [{"name": n} for n in FIVE_NAMES]},
        headers={"Idempotency-Key": f"○ {group.id} 00".encode().decode("latin-1")},
    )
    assert (answer.status_code, answer.json["code"]) == (400, "idempotency_key_malformed")
