"""Concurrent writes to a group: none has its effect twice, and none waits for itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from uuid import UUID

from flask import Flask
from werkzeug.test import TestResponse

from tests.support.api.group_client import (
    GroupClient,
    clone_client,
    create_group,
    has_no_findings,
    play_and_close_e3,
)
from tests.support.api.session_client import SessionClient, keys
from tests.support.api.simultaneous_calls import call_simultaneously
from tests.support.player_names import FIVE_NAMES

NEXT = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4", "m5"], "carry": True}
REFUSALS = {"already_carried_forward", "session_is_open", "payments_are_due"}


def test_of_phones_that_carry_forward_at_once_one_does(group: GroupClient, app: Flask) -> None:
    """There are more phones than connections, and no waiting request holds what another needs."""
    first = play_and_close_e3(group)
    phones = [clone_client(app, group) for _ in range(14)]
    answers = call_simultaneously(*(lambda p=p: p.write("/sessions", NEXT) for p in phones))
    opened = [answer for answer in answers if answer.status_code == 201]
    refused = [answer.json["code"] for answer in answers if answer.status_code != 201]
    assert len(opened) == 1
    assert set(refused) <= REFUSALS, Counter(refused)
    assert first.state["carried_to"] == opened[0].json["id"]
    assert len(group.state["sessions"]) == 2
    assert has_no_findings(group)


def test_one_key_twenty_times_at_once_opens_one_session(group: GroupClient, app: Flask) -> None:
    play_and_close_e3(group)
    phones = [clone_client(app, group) for _ in range(20)]
    answers = call_simultaneously(
        *(lambda p=p: p.write("/sessions", NEXT, key="tonight") for p in phones)
    )
    assert Counter(answer.status_code for answer in answers) == {201: 20}
    assert len({answer.data for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    assert len(group.state["sessions"]) == 2


def test_a_session_that_groups_add_at_once_belongs_to_one(
    group: GroupClient, app: Flask, session: SessionClient
) -> None:
    groups = [create_group(app.test_client(), *FIVE_NAMES) for _ in range(6)]
    body = {"token": session.tokens["host"], "members": {"p1": "m1"}}
    put = f"/sessions/{session.id}"
    answers = call_simultaneously(*(lambda c=c: c.write(put, body, method="PUT") for c in groups))
    codes = Counter(a.json.get("code") if a.status_code != 200 else "" for a in answers)
    assert codes == {"": 1, "in_another_group": 5}
    assert sum(len(c.state["sessions"]) for c in groups) == 1


def test_all_sessions_added_at_once_are_in_the_group(
    group: GroupClient, app: Flask, open_session: Callable[[], SessionClient]
) -> None:
    opened = [open_session() for _ in range(12)]

    def add(session: SessionClient) -> TestResponse:
        body = {"token": session.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
        return clone_client(app, group).write(f"/sessions/{session.id}", body, method="PUT")

    answers = call_simultaneously(*(lambda t=t: add(t) for t in opened))
    assert Counter(answer.status_code for answer in answers) == {200: 12}
    assert [e["number"] for e in group.state["sessions"]] == list(range(1, 13))
    assert sorted(len(answer.json["sessions"]) for answer in answers) == list(range(1, 13))


def test_members_who_join_at_once_get_different_ids(group: GroupClient, app: Flask) -> None:
    """Members are added to the group and to two of its sessions; one name is one member."""
    evenings = [group.open_session("m1", "m2", "m3") for _ in range(2)]
    new = [f"Ada {letter}" for letter in "abcdef"]
    call_simultaneously(
        *(lambda n=n: clone_client(app, group).write("/members", {"name": n}) for n in new),
        *(
            lambda t=t, n=n: clone_client(app, t).write("/players", {"name": n}, match="*")
            for t in evenings
            for n in new[:4]
        ),
    )
    members = group.state["members"]
    assert [m["id"] for m in members] == [f"m{n}" for n in range(1, 12)]
    assert sorted(m["name"] for m in members[5:]) == new
    names = {m["id"]: m["name"] for m in members}
    for session, evening in zip(evenings, group.state["sessions"], strict=True):
        for player in session.state["players"]:
            assert names[evening["members"][player["id"]]] == player["name"]
    assert has_no_findings(group)


def test_a_payment_comes_before_the_carry_forward_or_is_refused(
    group: GroupClient, app: Flask
) -> None:
    first = play_and_close_e3(group)
    paid = {"from": "p1", "to": "p2", "amount": 10}
    opened, *payments = call_simultaneously(
        lambda: clone_client(app, group).write("/sessions", NEXT),
        *(lambda: clone_client(app, first).write("/transfers", paid, match="*") for _ in range(5)),
    )
    assert opened.status_code == 201, opened.json
    before = sum(answer.status_code == 201 for answer in payments)
    assert {a.json["code"] for a in payments if a.status_code != 201} <= {"already_carried_forward"}
    assert opened.json["balances"]["p1"] == -70 + 10 * before
    assert has_no_findings(group)


def test_a_la_vola_that_is_settled_while_the_evening_is_carried_forward(
    group: GroupClient, app: Flask
) -> None:
    first = group.open_session("m1", "m2", "m3")
    vola = {"type": "result", "la_vola": {"player": "p2", "won": True}}
    first.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    first.write("/closure", {}, match="*")
    store = app.extensions["store"]
    opened, *_ = call_simultaneously(
        lambda: clone_client(app, group).write("/sessions", NEXT),
        *(lambda: store.settle(UUID(first.id)) for _ in first.state["payments"]),
    )
    if opened.status_code != 201:
        assert opened.json["code"] == "payments_are_due"
        opened = group.write("/sessions", NEXT)
    state = SessionClient(group.client, opened.json["id"], opened.json["tokens"]).state
    assert state["balances"] == {"p1": -20, "p2": 30, "p3": -10, "p4": 0, "p5": 0}
    assert has_no_findings(group)


def test_no_more_players_are_carried_forward_than_a_session_can_have(app: Flask) -> None:
    """A group may be larger, but the fewest payments are found for at most sixteen players."""
    company = create_group(
        app.test_client(), *(f"Emil {letter}" for letter in "abcdefghijklmnopqrs")
    )
    first = company.open_session("m1", "m2", "m3")
    for _ in range(13):
        first.write("/players", {"name": f"Bo {next(keys)}"}, match="*")
    for player in range(2, 17):
        first.write("/transfers", {"from": f"p{player}", "to": "p1", "amount": player}, match="*")
    first.write("/closure", {}, match="*")
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m4"], "carry": True}
    refused = company.write("/sessions", body)
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_number_of_players")
    assert (refused.json["count"], refused.json["most"]) == (17, 16)
    company.open_session("m1", "m2", "m3", carry=True)
    assert has_no_findings(company)
