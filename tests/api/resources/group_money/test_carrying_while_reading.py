"""An evening that is carried forward while a group's money is read is not left out."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime

import pytest
from flask import Flask

from ledger.groups import current_sessions
from tests.support.api.group_client import GroupClient, create_group, open_session_with_payments
from tests.support.ledger.bank_files import semicolon_file


@pytest.fixture
def group(app: Flask, monkeypatch: pytest.MonkeyPatch) -> GroupClient:
    """A group in which Bo owes Ada 300 after an evening, which is carried forward once the next
    request about money has read the group."""
    group = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    open_session_with_payments(group, ("p1", "p2", 300))
    load = current_sessions.load_played_sessions

    def load_later(*args):
        monkeypatch.setattr(current_sessions, "load_played_sessions", load)
        group.open_session(carry=True)
        return load(*args)

    monkeypatch.setattr(current_sessions, "load_played_sessions", load_later)
    return group


def test_open_balances_have_an_evening_carried_forward_meanwhile(group: GroupClient) -> None:
    [found] = group.get("/open-balances").json["currencies"]
    assert {row["id"]: row["amount"] for row in found["balances"]} == {"m1": 300, "m2": -300}
    assert {part["number"] for row in found["balances"] for part in row["parts"]} == {2}


def test_standings_have_an_evening_carried_forward_meanwhile(group: GroupClient) -> None:
    standings = group.get("/standings").json
    assert [session["number"] for session in standings["sessions"]] == [1, 2]
    assert [member["open"] for member in standings["members"]] == [{"SEK": 300}, {"SEK": -300}, {}]


def test_a_departure_preview_sees_an_evening_carried_forward(group: GroupClient) -> None:
    host = {"Authorization": f"Bearer {group.tokens['host']}"}
    path = f"{group.path}/members/m2/departure/preview"
    answer = group.client.post(path, json={"agreement": "settle"}, headers=host)
    assert (answer.status_code, answer.json["code"]) == (409, "evening_is_open")


def test_a_bank_line_pays_for_an_evening_carried_forward(group: GroupClient) -> None:
    file = semicolon_file([(datetime.now(UTC).date(), 300, "SWISH BO")])
    answer = group.client.post(
        f"{group.path}/bank-lines/preview",
        json={"file": b64encode(file).decode(), "account": "m1"},
        headers={"Authorization": f"Bearer {group.tokens['host']}"},
    )
    [line] = answer.json["lines"]
    [transfer] = line["transfers"]
    assert (transfer["from"], transfer["to"], transfer["open_amount"]) == ("m2", "m1", 300)


def test_an_evening_that_goes_on_in_another_book_is_read_once(own_app: Flask, app: Flask) -> None:
    here = create_group(app.test_client(), "Ada", "Bo", "Cilla")
    session = open_session_with_payments(here, ("p1", "p2", 300))
    here.open_session(carry=True)
    there = create_group(own_app.test_client(), "Ada", "Bo", "Cilla")
    imported = there.client.post(
        "/v1/imports",
        json=session.get("/export?names=true").json,
        headers={"Idempotency-Key": "an evening that goes on elsewhere"},
    ).json
    added = {"token": imported["tokens"]["host"], "members": {"p1": "m1", "p2": "m2"}}
    assert there.write(f"/sessions/{imported['id']}", added, method="PUT").status_code == 200
    assert there.get("/open-balances").json["currencies"] == []
