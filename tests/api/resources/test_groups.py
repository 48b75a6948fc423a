"""People who meet again: members, evenings that go on where another ended, and the season."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from werkzeug.test import TestResponse

from tests.api.conftest import Table, keys
from tests.evenings import E3, lines

FIVE = ("Ada", "Bo", "Cilla", "Disa", "Emil")


@dataclass
class Circle:
    """A circle through the test client, in somebody's role."""

    client: FlaskClient
    id: str
    tokens: dict[str, str]

    @property
    def here(self) -> str:
        return f"/v1/circles/{self.id}"

    def get(self, path: str = "", role: str = "viewer", **headers: str) -> TestResponse:
        right = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.get(self.here + path, headers={**right, **headers})

    def write(
        self,
        path: str,
        body: Any = None,
        *,
        method: str = "POST",
        key: str | None = None,
        role: str = "host",
    ) -> TestResponse:
        headers = {
            "Authorization": f"Bearer {self.tokens[role]}",
            "Idempotency-Key": key or f"key-{next(keys)}",
        }
        given = {} if body is None else {"json": body}
        return self.client.open(self.here + path, method=method, headers=headers, **given)

    def gather(self, *members: str, status: int = 201, **agreed: Any) -> Table:
        """An evening of the circle; everybody unless some are named."""
        seated = list(members) or [m["id"] for m in self.state["members"]]
        body = {"game": "polskt_pass", "members": seated, **agreed}
        answer = self.write("/evenings", body)
        assert answer.status_code == status, answer.json
        return Table(self.client, answer.json["id"], answer.json["tokens"])

    @property
    def state(self) -> Any:
        return self.get().json

    @property
    def season(self) -> dict[str, Any]:
        return {m["id"]: m for m in self.get("/standings").json["members"]}


def founded(client: FlaskClient, *names: str) -> Circle:
    body = {"name": "Torsdagar", "members": [{"name": name} for name in names]}
    answer = client.post("/v1/circles", json=body, headers={"Idempotency-Key": f"k{next(keys)}"})
    assert answer.status_code == 201, answer.json
    return Circle(client, answer.json["id"], answer.json["tokens"])


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(), *FIVE)


def play(table: Table, evening: str) -> None:
    for line in lines(evening):
        assert table.act(*line.actions()).status_code == 201


def settle(app: Flask, table: Table) -> None:
    """As a worker does."""
    store = app.extensions["store"]
    for payment in table.state["payments"]:
        store.settle(UUID(table.id), payment["id"])


def kept_anywhere(app: Flask, name: str, *ids: str) -> list[str]:
    """The tables in which a name still stands, in rows of this circle and these evenings."""
    found = []
    with app.extensions["store"].pool.connection() as db:
        for table, of, text in (
            ("members", "circle_id", "name || sounds"),
            ("players", "session_id", "name || sounds"),
            ("remarks", "session_id", "remark"),
            ("replies", "session_id", "convert_from(body, 'utf8')"),
            ("circle_replies", "circle_id", "convert_from(body, 'utf8')"),
            ("phones", "session_id", "label"),
            ("knocks", "session_id", "label"),
        ):
            query = sql.SQL(
                "SELECT count(*) FROM vola.{} WHERE {}::text = ANY(%s) AND " + text + " ILIKE %s"
            ).format(sql.Identifier(table), sql.Identifier(of))
            [(count,)] = db.execute(query, (list(ids), f"%{name}%")).fetchall()
            found += [table] * count
    return found


def e3_closed(circle: Circle) -> Table:
    """E3, closed with its bets still down (rules.md §8: Σ −130 + 130)."""
    table = circle.gather()
    play(table, E3)
    assert table.write("/closure", {}, match="*").status_code == 201
    return table


def test_an_evening_goes_on_where_the_last_one_ended(circle: Circle) -> None:
    first = e3_closed(circle)
    second = circle.gather(carry=True, first_dealer="m2")
    state = second.state
    assert state["brought_from"] == first.id
    assert state["balances"] == {"p1": -70, "p2": 50, "p3": -60, "p4": -70, "p5": 20}
    assert (state["pot"], [(b["amount"], b["by"]) for b in state["bets"]]) == (
        0,
        [(40, ["p3"]), (40, ["p4"]), (50, ["p1"])],
    )
    assert first.state["carried_to"] == second.id
    # Bo stakes 10: played for are 10 and the 40 that Cilla laid a week ago; Ada declares and wins
    second.act({"type": "open_deal"}, {"type": "declare", "players": ["p1"]})
    assert second.state["amount_played_for"] == 50
    second.act({"type": "result", "winner": "p1"})
    assert second.state["balances"] == {"p1": -20, "p2": 40, "p3": -60, "p4": -70, "p5": 20}
    why = [posting["why"] for posting in second.get("/deals/1").json["postings"]]
    assert "lagd av Cilla en tidigare kväll" in why[-1]
    for table in (first, second):
        assert table.get("/audit").json["findings"] == []


def test_who_is_not_there_is_still_owed(circle: Circle, app: Flask) -> None:
    """Disa owes and Emil is owed; they sit out, and take their seats again a deal later."""
    first = e3_closed(circle)
    second = circle.gather("m3", "m1", "m2", carry=True)
    state = second.state
    assert state["seats"] == ["p1", "p2", "p3"]
    called = [player["name"] for player in state["players"]]
    assert called == ["Cilla", "Ada", "Bo", "Disa", "Emil"]
    assert state["balances"] == {"p1": -60, "p2": -70, "p3": 50, "p4": -70, "p5": 20}
    assert [bet["by"] for bet in state["bets"]] == [["p1"], ["p4"], ["p2"]]
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    answer = second.act({"type": "reseat", "players": ["p1", "p4", "p2", "p5", "p3"]})
    assert answer.status_code == 201
    for table in (first, second):
        assert table.get("/audit").json["findings"] == []


def test_what_went_on_is_settled_there(circle: Circle) -> None:
    first = e3_closed(circle)
    circle.gather(carry=True)
    paid = first.write("/transfers", {"from": "p1", "to": "p2", "amount": 10}, match="*")
    assert (paid.status_code, paid.json["code"]) == (409, "already_carried_forward")
    assert first.get("/settlement").json["transfers"] == []
    assert circle.state["to_carry"]["balances"]["m1"] == -70


def test_an_evening_is_carried_forward_once(circle: Circle) -> None:
    e3_closed(circle)
    circle.gather(carry=True)
    again = circle.write(
        "/evenings", {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    )
    assert (again.status_code, again.json["code"]) == (409, "evening_is_open")


def test_a_refused_evening_leaves_the_earlier_one_as_it_was(circle: Circle) -> None:
    first = e3_closed(circle)
    before = first.version
    for agreed, code in (
        ({"game": "polskpas", "members": ["m1", "m2", "m3"]}, "another_game"),
        ({"game": "spader", "members": ["m1", "m2", "m3", "m4"]}, "brought_into_points"),
        (
            {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "currency": "DKK"},
            "another_currency",
        ),
        ({"game": "polskt_pass", "members": ["m1", "m2", "m9"]}, "unknown_member"),
    ):
        answer = circle.write("/evenings", {"carry": True, **agreed})
        assert answer.json["code"] == code
    assert first.version == before
    assert len(circle.state["evenings"]) == 1


def test_the_same_key_opens_one_evening(circle: Circle) -> None:
    e3_closed(circle)
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    first = circle.write("/evenings", body, key="tonight")
    second = circle.write("/evenings", body, key="tonight")
    assert second.data == first.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(circle.state["evenings"]) == 2
    other = circle.write("/evenings", {**body, "carry": False}, key="tonight")
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")


def test_nothing_goes_over_while_a_la_vola_is_being_settled(circle: Circle, app: Flask) -> None:
    first = circle.gather("m1", "m2", "m3")
    vola = {"type": "result", "la_vola": {"player": "p2", "won": True}}
    first.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]}, vola)
    first.write("/closure", {}, match="*")
    body = {"game": "polskt_pass", "members": ["m1", "m2", "m3"], "carry": True}
    waits = circle.write("/evenings", body)
    assert (waits.status_code, waits.json["code"]) == (409, "payments_are_due")
    settle(app, first)
    assert circle.write("/evenings", body).json["balances"] == {"p1": -20, "p2": 30, "p3": -10}


def test_a_claim_that_nobody_has_paid_goes_over_unpaid(circle: Circle) -> None:
    first = circle.gather("m1", "m2", "m3", "m4", options={"bet_payment": "on_collection"})
    first.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p2"]},
        {"type": "result", "winner": "p3"},
    )
    first.write("/closure", {}, match="*")
    second = circle.gather(
        "m1", "m2", "m3", "m4", options={"bet_payment": "on_collection"}, carry=True
    )
    assert second.state["bets"] == [
        {"id": "b1", "amount": 10, "by": ["p2"], "deal": 0, "paid": False}
    ]
    second.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "winner": "p1"},
    )
    assert second.state["balances"] == {"p1": 0, "p2": -10, "p3": 10, "p4": 0}
    assert second.get("/audit").json["findings"] == []


def test_what_was_brought_is_shared_when_the_evening_ends_at_once(circle: Circle) -> None:
    """Nobody has dealt: everybody are those who sit, the first unit left of the dealer's."""
    e3_closed(circle)
    second = circle.gather(carry=True, first_dealer="m5")
    second.write("/closure", {"leftover_policy": "split_equal"}, match="*")
    assert second.state["balances"] == {"p1": -44, "p2": 76, "p3": -34, "p4": -44, "p5": 46}
    assert second.get("/audit").json["findings"] == []


def test_corrections_begin_with_what_was_brought(circle: Circle) -> None:
    e3_closed(circle)
    second = circle.gather(carry=True, first_dealer="m2")
    won = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p1"}]
    second.act({"type": "open_deal"}, *won)
    second.act({"type": "open_deal"}, {"type": "all_pass"})
    lost = [{"type": "declare", "players": ["p1"]}, {"type": "result", "winner": "p3"}]
    answer = second.write("/deals/1", {"actions": lost}, method="PUT", match="*")
    assert answer.status_code == 200, answer.json
    state = second.state
    assert state["balances"] == {"p1": -120, "p2": 40, "p3": -20, "p4": -70, "p5": 20}
    assert [(b["amount"], b["deal"]) for b in state["bets"]] == [(40, 0), (50, 0), (50, 1)]
    assert second.get("/audit").json["findings"] == []


def test_undo_stops_at_what_was_brought(circle: Circle) -> None:
    e3_closed(circle)
    second = circle.gather(carry=True)
    second.act({"type": "open_deal"})
    assert second.act({"type": "undo"}).status_code == 201
    assert second.act({"type": "undo"}).json["code"] == "nothing_to_undo"


def test_a_season_counts_what_the_cards_brought(circle: Circle, app: Flask) -> None:
    first = e3_closed(circle)
    second = circle.gather(carry=True, first_dealer="m2")
    second.act(
        {"type": "open_deal"},
        {"type": "declare", "players": ["p1"]},
        {"type": "result", "winner": "p1"},
    )
    second.write("/transfers", {"from": "p4", "to": "p2", "amount": 70}, match="*")
    told = circle.get("/standings").json
    nights = told["evenings"]
    assert [night["results"] for night in nights] == [
        {"m1": -70, "m2": 50, "m3": -60, "m4": -70, "m5": 20},
        {"m1": 50, "m2": -10, "m3": 0, "m4": 0, "m5": 0},
    ]
    assert [night["on_table"] for night in nights] == [130, -40]
    assert nights[1]["totals"] == {"m1": -20, "m2": 40, "m3": -60, "m4": -70, "m5": 20}
    season = circle.season
    assert season["m1"]["open"] == {"SEK": -20}
    assert season["m4"]["open"] == {}
    assert season["m2"]["open"] == {"SEK": -30}
    assert {m: (s["deals"], s["declared"], s["won_declaring"]) for m, s in season.items()} == {
        "m1": (7, 2, 1),
        "m2": (7, 0, 0),
        "m3": (7, 2, 0),
        "m4": (7, 2, 0),
        "m5": (7, 1, 1),
    }
    assert season["m1"]["bets_laid"] == 1
    assert season["m1"]["laid"] == {"SEK": 50}
    assert first.id == nights[0]["session"]


def test_who_comes_along_is_of_the_circle(circle: Circle) -> None:
    table = circle.gather("m1", "m2", "m3")
    assert table.write("/players", {"name": "Disa"}, match="*").status_code == 201
    assert table.write("/players", {"name": "Fanny"}, match="*").status_code == 201
    state = circle.state
    assert state["evenings"][0]["members"] == {
        "p1": "m1",
        "p2": "m2",
        "p3": "m3",
        "p4": "m4",
        "p5": "m6",
    }
    assert state["members"][-1] == {"id": "m6", "name": "Fanny"}


def test_an_evening_that_began_by_itself_can_be_added(circle: Circle, table: Table) -> None:
    play(table, "B CCDCB | -10 -10 10 0 | pot 0 | B10")
    members = {"p1": "m1", "p2": "m2", "p3": "m3", "p4": "m4"}
    body = {"token": table.tokens["host"], "members": members}
    added = circle.write(f"/evenings/{table.id}", body, method="PUT")
    assert added.status_code == 200, added.json
    assert circle.season["m3"]["result"] == {"SEK": 10}
    assert table.get("/links").json["circle"] == circle.id
    again = circle.write(f"/evenings/{table.id}", body, method="PUT")
    assert (again.status_code, again.json["code"]) == (409, "of_another_circle")


def test_who_had_money_at_stake_and_was_nobody_here_is_somebody_when_it_goes_on(
    circle: Circle, table: Table
) -> None:
    """Cilla owes and Disa laid a bet; only Ada and Bo were said to be members."""
    play(table, "B CCDCB | 0 | pot 0 | B10\nD AABDD | 0 | pot 0 | D20")
    table.write("/closure", {}, match="*")
    members = {"p1": "m1", "p2": "m2"}
    body = {"token": table.tokens["host"], "members": members}
    assert circle.write(f"/evenings/{table.id}", body, method="PUT").status_code == 200
    assert table.write("/players/p4/name", method="DELETE").status_code == 200
    second = circle.gather("m1", "m2", "m5", carry=True)
    assert circle.state["evenings"][0]["members"] == {**members, "p3": "m3", "p4": "m6"}
    assert [m["name"] for m in circle.state["members"]][-1] == "Medlem 6"
    assert second.state["balances"] == {"p1": 10, "p2": -20, "p3": 0, "p4": 10, "p5": -20}
    for evening in (table, second):
        assert evening.get("/audit").json["findings"] == []


def test_only_its_host_can_add_an_evening(circle: Circle, table: Table) -> None:
    for token in (table.tokens["scorer"], "host0.x", circle.tokens["host"]):
        answer = circle.write(
            f"/evenings/{table.id}", {"token": token, "members": {"p1": "m1"}}, method="PUT"
        )
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_session")


def test_a_forgotten_member_is_gone_from_every_evening(circle: Circle, app: Flask) -> None:
    first = e3_closed(circle)
    second = circle.gather(carry=True)
    gone = circle.write("/members/m3/name", method="DELETE")
    assert (gone.status_code, gone.json) == (200, {"id": "m3", "name": "Medlem 3"})
    third = circle.gather("m1", "m2", "m4")
    everything = [
        circle.get().data,
        circle.get("/standings").data,
        *(
            table.get(path).data
            for table in (first, second, third)
            for path in ("", "/deals", "/statement?format=html", "/events")
        ),
    ]
    assert not [text for text in everything if b"Cilla" in text]
    assert second.state["players"][2] == {"id": "p3", "name": "Spelare 3"}
    for table in (first, second, third):
        assert table.get("/audit").json["findings"] == []
    assert (
        circle.write("/evenings", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}).json[
            "code"
        ]
        == "unknown_member"
    )
    assert kept_anywhere(app, "Cilla", circle.id, first.id, second.id, third.id) == []


def test_who_is_forgotten_is_still_owed(circle: Circle) -> None:
    e3_closed(circle)
    circle.write("/members/m5/name", method="DELETE")
    second = circle.gather("m1", "m2", "m3", "m4", carry=True)
    assert second.state["players"][4] == {"id": "p5", "name": "Spelare 5"}
    assert second.state["balances"]["p5"] == 20
    assert second.get("/audit").json["findings"] == []


def test_rights_to_a_circle_are_its_own(circle: Circle, app: Flask) -> None:
    other = founded(app.test_client(), "Ada", "Bo", "Cilla")
    evening = other.gather()
    for wrong in (other.tokens["host"], evening.tokens["host"], "host0.x"):
        answer = circle.client.get(circle.here, headers={"Authorization": f"Bearer {wrong}"})
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_circle")
    right = {"Authorization": f"Bearer {other.tokens['host']}"}
    assert circle.client.get(evening.here, headers=right).status_code == 404
    assert circle.get("/links", role="scorer").status_code == 403
    assert circle.write("/members", {"name": "Fanny"}, role="viewer").status_code == 403


def test_the_way_into_an_evening_is_as_wide_as_the_right_to_the_circle(circle: Circle) -> None:
    table = circle.gather("m1", "m2", "m3")
    for role in ("host", "scorer", "viewer"):
        [evening] = circle.get(role=role).json["evenings"]
        assert evening["path"] == f"/#/s/{table.id}/{table.tokens[role]}"


def test_a_circle_has_no_two_members_of_one_name(circle: Circle, app: Flask) -> None:
    assert circle.write("/members", {"name": " ADA"}).json["errors"][0]["pointer"] == "/name"
    body = {"name": "Vi", "members": [{"name": "Bo"}, {"name": "bo"}]}
    answer = app.test_client().post("/v1/circles", json=body, headers={"Idempotency-Key": "two"})
    assert answer.json["errors"][0]["pointer"] == "/members/1/name"


def test_a_phone_that_asks_again_is_told_that_nothing_has_changed(circle: Circle) -> None:
    tag = circle.get().headers["ETag"]
    assert circle.get(**{"If-None-Match": tag}).status_code == 304
    circle.gather("m1", "m2", "m3")
    assert circle.get(**{"If-None-Match": tag}).status_code == 200


def test_what_is_shown_is_shown_to_whoever_wants_just_this_or_anything(
    circle: Circle, client: FlaskClient
) -> None:
    """RFC 9110 §13.1: `*` is whatever there is; a weak tag is good enough not to be told again."""
    for read in (circle.get, partial(_read, client, "/v1/games"), partial(_read, client, "/")):
        tag = read().headers["ETag"]
        for wanted in ("*", tag, f'"other", {tag}'):
            assert read(**{"If-Match": wanted}).status_code == 200
        for wanted in ('"other"', f"W/{tag}"):
            refused = read(**{"If-Match": wanted, "If-None-Match": tag})
            assert (refused.status_code, refused.json["code"]) == (412, "refused")
            assert refused.content_type == "application/problem+json"
        for known in ("*", tag, f"W/{tag}", f'"other", {tag}'):
            same = read(**{"If-Match": "*", "If-None-Match": known})
            assert (same.status_code, same.data, same.headers["ETag"]) == (304, b"", tag)
            assert "Content-Type" not in same.headers
        assert read(**{"If-None-Match": '"other"'}).status_code == 200


def _read(client: FlaskClient, path: str, **headers: str) -> TestResponse:
    return client.get(path, headers=headers)
