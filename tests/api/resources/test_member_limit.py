"""A group has at most 60 members, however somebody would become one."""

from __future__ import annotations

import pytest
from flask import Flask

from ledger.groups.groups import MAX_MEMBERS
from tests.support.api.group_client import GroupClient, create_group
from tests.support.api.guest_session import play_with_guests


@pytest.fixture
def full_group(app: Flask) -> GroupClient:
    return create_group(app.test_client(), *(f"Ada {number}" for number in range(MAX_MEMBERS)))


def test_a_full_group_takes_no_member(full_group: GroupClient) -> None:
    refused = full_group.write("/members", {"name": "Emil"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_members")


def test_a_newcomer_does_not_join_an_evening_of_a_full_group(full_group: GroupClient) -> None:
    session = full_group.open_session("m1", "m2", "m3")
    before = session.state
    refused = session.write("/players", {"name": "Emil"}, match="*")
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_members")
    assert refused.json["most"] == MAX_MEMBERS
    assert session.state == before
    assert len(full_group.state["members"]) == MAX_MEMBERS
    assert session.write("/players", {"name": "ada 59"}, match="*").status_code == 201
    [evening] = full_group.state["sessions"]
    assert evening["members"]["p4"] == "m60", "who is a member already joins"


def test_a_guest_is_not_carried_forward_into_a_full_group(full_group: GroupClient) -> None:
    earlier = play_with_guests(full_group)
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}
    refused = full_group.write("/sessions", {**body, "carry": True})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_members")
    assert "carried_to" not in earlier.state
    assert len(full_group.state["members"]) == MAX_MEMBERS
    assert full_group.write("/sessions", body).status_code == 201
