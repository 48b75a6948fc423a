"""Whoever has knocked may think better of it: the host is not asked, and nobody is let in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from flask import Flask

from ledger import door
from tests.api.conftest import Table
from tests.api.test_door import heard, knock

keys = count(1)


def withdraw(table: Table, token: str, key: str | None = None) -> Any:
    return table.client.delete(
        f"{table.here}/knock",
        headers={
            "Authorization": f"Bearer {token}",
            "Idempotency-Key": key or f"withdrawn-{next(keys)}",
            "Accept-Language": "sv",
        },
    )


@pytest.fixture
def code(table: Table) -> str:
    return table.write("/code", {}).json["code"]


def test_who_takes_his_knock_back_is_at_no_door_any_more(table: Table, code: str) -> None:
    token = knock(table, code).json["token"]
    gone = withdraw(table, token)
    assert (gone.status_code, gone.json) == (200, {"knock": 1, "status": "withdrawn"})
    assert heard(table, token).json == {"knock": 1, "status": "withdrawn"}
    assert table.get("/knocks").json["knocks"] == []
    assert table.get("/phones").json["phones"] == []


def test_twice_is_as_once_also_under_another_key(table: Table, code: str) -> None:
    token = knock(table, code).json["token"]
    first, same, anew = (withdraw(table, token, key=key) for key in ("a", "a", "b"))
    assert first.data == same.data == anew.data
    assert first.status_code == same.status_code == anew.status_code == 200
    assert same.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in anew.headers


@pytest.mark.parametrize(("method", "body"), [("PUT", {}), ("DELETE", None)])
def test_what_is_answered_stays_answered(table: Table, code: str, method: str, body: Any) -> None:
    token = knock(table, code).json["token"]
    said = table.write("/knocks/1", body, method=method).json["status"]
    late = withdraw(table, token)
    assert (late.status_code, late.json["code"], late.json["knock"]) == (409, "already_answered", 1)
    assert heard(table, token).json["status"] == said


@pytest.mark.parametrize(("method", "body"), [("PUT", {}), ("DELETE", None)])
def test_who_is_gone_is_neither_let_in_nor_refused(
    table: Table, code: str, method: str, body: Any
) -> None:
    token = knock(table, code).json["token"]
    withdraw(table, token)
    late = table.write("/knocks/1", body, method=method)
    assert (late.status_code, late.json["code"], late.json["knock"]) == (409, "knock_withdrawn", 1)
    assert heard(table, token).json["status"] == "withdrawn"
    assert table.get("/phones").json["phones"] == []


def test_who_is_gone_may_knock_again_and_leaves_room_for_others(
    table: Table, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MOST_WAITING", 1)
    withdraw(table, knock(table, code).json["token"])
    assert knock(table, code).json["knock"] == 2  # a number is never used again
    assert knock(table, code).status_code == 409
    assert [one["knock"] for one in table.get("/knocks").json["knocks"]] == [2]


def test_two_who_wait_may_use_the_same_key(table: Table, code: str) -> None:
    """They do not know of each other."""
    first, second = (knock(table, code).json["token"] for _ in range(2))
    assert withdraw(table, first, key="mine").json["knock"] == 1
    assert withdraw(table, second, key="mine").json["knock"] == 2
    assert table.act({"type": "open_deal"}, key="mine", match="*").status_code == 201


def test_only_who_knocked_takes_it_back(table: Table, open_table: Any, code: str) -> None:
    tokens = [knock(table, code).json["token"] for _ in range(2)]
    seals = [token.partition(".")[2] for token in tokens]
    elsewhere = open_table()
    strangers = [
        withdraw(elsewhere, tokens[0]),
        *(withdraw(table, token) for token in table.tokens.values()),
        withdraw(table, f"knock2.{seals[0]}"),
        withdraw(table, f"phone1.{seals[0]}"),
        withdraw(table, "knock1." + "A" * 43),
        table.client.delete(
            f"{table.here}/knock", headers={"Idempotency-Key": "k", "Accept-Language": "sv"}
        ),
    ]
    assert {(s.status_code, s.data) for s in strangers} == {(404, strangers[0].data)}
    assert strangers[0].json["code"] == "unknown_session"
    assert len(table.get("/knocks").json["knocks"]) == 2


def test_no_label_is_left_of_him(table: Table, code: str, app: Flask) -> None:
    withdraw(table, knock(table, code).json["token"])
    with app.extensions["store"].pool.connection() as db:
        kept = db.execute(
            "SELECT label FROM vola.knocks WHERE session_id = %s", (table.id,)
        ).fetchall()
    assert kept == [(None,)]


def test_a_server_that_is_older_takes_him_for_refused(table: Table, code: str, app: Flask) -> None:
    """While servers are replaced one by one: it must not let in somebody who is gone."""
    withdraw(table, knock(table, code).json["token"])
    with app.extensions["store"].pool.connection() as db:
        before = db.execute(
            "SELECT phone, refused FROM vola.knocks WHERE session_id = %s", (table.id,)
        ).fetchall()
    assert before == [(None, True)]


@pytest.mark.parametrize("turn", range(3))
def test_of_yes_and_never_mind_at_the_same_moment_one_is_told_to_both(
    table: Table, code: str, app: Flask, turn: int
) -> None:
    token = knock(table, code).json["token"]
    with ThreadPoolExecutor(2) as both:
        beside = Table(app.test_client(), table.id, table.tokens)
        yes = both.submit(beside.write, "/knocks/1", {}, method="PUT")
        never_mind = both.submit(withdraw, table, token)
        statuses = sorted((yes.result().status_code, never_mind.result().status_code))
    assert statuses == [200, 409]
    let_in = yes.result().status_code == 200
    assert heard(table, token).json["status"] == ("let_in" if let_in else "withdrawn")
    assert len(table.get("/phones").json["phones"]) == let_in
    assert table.get("/audit").json["findings"] == []
