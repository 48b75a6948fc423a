"""A repeated key gets the same bytes, rendered anew, whatever has been written since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests.support.api.group_client import GroupClient, play_deals, settle_payments
from tests.support.api.group_requests import end_link
from tests.support.api.session_client import SessionClient, create_session, keys, request_to_join
from tests.support.player_names import FOUR_PLAYERS
from tests.support.worked_evenings import E1, lines

Write = Callable[[], TestResponse]
HEADERS = ("ETag", "Location", "Content-Type", "Cache-Control")


class Repeater:
    """Writes that are made once, each under its key, and can be repeated."""

    def __init__(self) -> None:
        self.first: list[tuple[Write, TestResponse]] = []

    def __call__(self, write: Write) -> Any:
        response = write()
        assert response.status_code in (200, 201), response.json
        self.first.append((write, response))
        return response.json

    def assert_replays(self) -> None:
        for write, first in self.first:
            repeated = write()
            assert repeated.headers["Idempotency-Replayed"] == "true"
            assert (repeated.status_code, repeated.data) == (first.status_code, first.data)
            assert [repeated.headers.get(name) for name in HEADERS] == [
                first.headers.get(name) for name in HEADERS
            ]


def keyed(session: SessionClient | GroupClient, path: str, body: Any = None, **more: Any) -> Write:
    key = f"replay-{next(keys)}"
    return lambda: session.write(path, body, key=key, **{"match": "*", **more})


def test_every_write_to_a_session_replays_in_the_same_bytes(app: Flask) -> None:
    once, client = Repeater(), app.test_client()
    body = {
        "game": "polskt_pass",
        "players": FOUR_PLAYERS,
        "options": {"stake": 10},
        "title": "Fredag",
    }
    opening = {"json": body, "headers": {"Idempotency-Key": f"an evening to replay {next(keys)}"}}
    opened = once(lambda: client.post("/v1/sessions", **opening))
    session = SessionClient(client, opened["id"], opened["tokens"])
    once(keyed(session, "/players/p1/name", {"name": "Adah"}, method="PUT"))
    once.first.clear()  # a replay has current names: p1 was renamed
    for line in list(lines(E1))[:5]:
        once(keyed(session, "/actions", {"actions": line.actions()}))
    due = [payment["status"] for payment in session.state["payments"]]
    assert "due" in due
    settle_payments(app, session)
    once(keyed(session, "/transfers", {"from": "p1", "to": "p2", "amount": 7}))
    added = once(keyed(session, "/players", {"name": "Emil"}))
    assert added["id"] == "p5"
    device = once(keyed(session, "/devices", {"label": "Bos telefon", "role": "scorer"}))
    once(keyed(session, f"/devices/{device['id']}", method="DELETE"))
    code = once(keyed(session, "/join-code", {}))["code"]
    request_key = f"repeated join request {next(keys)}"
    number = once(lambda: request_to_join(session, code, key=request_key))["number"]
    once(keyed(session, f"/join-requests/{number}/approval", {}))
    correction = {"actions": [{"type": "all_pass"}], "reason": "felskrivet"}
    once(keyed(session, "/deals/2", correction, method="PUT"))
    once(keyed(session, "/deals/3?reason=felgiv", method="DELETE"))
    once(keyed(session, "/actions", {"actions": [{"type": "undo"}]}))
    once(keyed(session, "/closure", {}))
    once(keyed(session, "/closure", method="DELETE"))
    once(keyed(session, "/links/viewer/rotation", {}))
    once.assert_replays()
    assert session.get("/audit").json["findings"] == []


def test_an_opening_replays_the_session_as_it_was_opened(app: Flask) -> None:
    body, key = (
        {"game": "spader", "players": FOUR_PLAYERS},
        f"an evening to open again {next(keys)}",
    )
    write = lambda: app.test_client().post(  # noqa: E731
        "/v1/sessions", json=body, headers={"Idempotency-Key": key}
    )
    once = Repeater()
    opened = once(write)
    session = SessionClient(app.test_client(), opened["id"], opened["tokens"])
    assert session.act({"type": "open_deal"}).status_code == 201
    once.assert_replays()


def test_every_write_to_a_group_replays_in_the_same_bytes(app: Flask) -> None:
    once, client = Repeater(), app.test_client()
    body = {"name": "Torsdagar", "members": FOUR_PLAYERS[:3]}
    founding = {
        "json": body,
        "headers": {"Idempotency-Key": f"a circle to found again {next(keys)}"},
    }
    created = once(lambda: client.post("/v1/groups", **founding))
    group = GroupClient(client, created["id"], created["tokens"])
    assert once(keyed(group, "/members", {"name": "Disa"}))["id"] == "m4"
    seats = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"]}
    opened = once(keyed(group, "/sessions", seats))
    session = SessionClient(client, opened["id"], opened["tokens"])
    passed = ({"type": "open_deal"}, {"type": "all_pass"})
    assert session.act(*passed).status_code == 201
    alone = create_session(client, {"game": "polskt_pass", "players": FOUR_PLAYERS})
    added = {"token": alone.tokens["host"], "members": {"p1": "m1", "p2": "m2"}}
    state = once(keyed(group, f"/sessions/{alone.id}", added, method="PUT"))
    assert [evening["version"] for evening in state["sessions"]] == [4, 1]
    assert state["carry_forward"]["pot"] > 0
    assert session.act(*passed).status_code == 201
    once(keyed(group, "/sessions", seats))
    assert alone.write("/players", {"name": "Emil"}, match="*").status_code == 201
    assert group.write("/members", {"name": "Fia"}).status_code == 201
    once(keyed(group, "/links/viewer/rotation", {}))
    once.assert_replays()
    assert all(s.get("/audit").json["findings"] == [] for s in (session, alone))


def test_the_answer_is_stored_nowhere(session: SessionClient, app: Flask) -> None:
    play_deals(session, E1)
    with app.extensions["store"].pool.connection() as db:
        row = db.execute(
            "SELECT count(*), max(pg_column_size(r)) FROM vola.stored_replies r"
            " WHERE session_id = %s",
            (session.id,),
        ).fetchone()
    assert row is not None
    count, largest = row
    assert count == 8
    assert largest < 160


def test_a_session_added_to_a_group_replays_after_its_link_was_renewed(
    group: GroupClient, session: SessionClient
) -> None:
    once, body = Repeater(), {"token": session.tokens["host"], "members": {"p1": "m1"}}
    once(keyed(group, f"/sessions/{session.id}", body, method="PUT", role="scorer"))
    assert end_link(group, "host", body={"sessions": True}).status_code == 201
    assert session.get().status_code == 404
    once.assert_replays()
