"""A member who is erased: nowhere is he called anything, whatever else happens meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from api.preconditions import as_json
from ledger import erasure
from ledger.writing import Request
from tests.api.conftest import Table
from tests.api.test_circles import FIVE, Circle, founded, kept_anywhere
from tests.api.test_circles_hard import at_once, clean, phone, seat, tables


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(), *FIVE)


def still_called(app: Flask, circle: Circle, member: str) -> list[str]:
    """The evenings in which he still has a name as this member."""
    ask = {"circle": circle.id, "member": member}
    with app.extensions["store"].pool.connection() as db:
        return db.execute(
            "SELECT p.name FROM vola.players p JOIN vola.attendance a USING (session_id, player_id)"
            "  JOIN vola.evenings e USING (session_id)"
            " WHERE e.circle_id = %(circle)s AND a.member_id = %(member)s AND p.name IS NOT NULL",
            ask,
        ).fetchall()


def forget(app: Flask, circle: Circle, member: str, key: str, meanwhile: Callable[[], Any]) -> Any:
    """As the API does; `meanwhile` happens between one evening and the next."""
    book = app.extensions["circles"]
    found = book.circle(UUID(circle.id))

    def instead(player: str) -> str:
        meanwhile()
        return f"Spelare {player[1:]}"

    request = Request(key=key, digest=b"erase", by="host.0", expected="any", status=200)
    answer = as_json({"id": member, "name": f"Medlem {member[1:]}"})
    names = (f"Medlem {member[1:]}", instead)
    return erasure.erase_member(book, found, member, request, names, lambda _: answer)


def test_an_evening_that_is_opened_while_a_member_is_erased_has_no_name_of_his(
    circle: Circle, app: Flask
) -> None:
    circle.gather()
    more = iter((lambda: circle.gather("m1", "m2", "m3"), lambda: circle.gather("m3", "m4", "m5")))
    forget(app, circle, "m3", "erase", lambda: next(more, lambda: None)())
    assert len(circle.state["evenings"]) == 3
    assert still_called(app, circle, "m3") == []
    assert kept_anywhere(app, "Cilla", circle.id, *(t.id for t in tables(circle))) == []
    assert clean(circle)


def test_who_comes_while_he_is_erased_is_erased_or_somebody_new(circle: Circle, app: Flask) -> None:
    there = [circle.gather("m1", "m2", "m3") for _ in range(4)]
    gone, *_ = at_once(
        lambda: phone(app, circle).write("/members/m4/name", method="DELETE"),
        *(lambda t=t: seat(app, t).write("/players", {"name": "Disa"}, match="*") for t in there),
        *(
            lambda: phone(app, circle).write(
                "/evenings", {"game": "polskt_pass", "members": ["m4", "m1", "m2"]}
            )
            for _ in range(4)
        ),
    )
    assert (gone.status_code, gone.json) == (200, {"id": "m4", "name": "Medlem 4"})
    assert still_called(app, circle, "m4") == []
    assert {m["name"] for m in circle.state["members"][5:]} <= {"Disa"}, "as somebody new"
    assert clean(circle)


DIES = """
import os, signal, sys
from uuid import UUID
from ledger import database, erasure
from ledger.circles import Circles
from ledger.writing import Request

url, circle_id = sys.argv[1:]
book, evenings = Circles(database.pool(url, size=2)), []

def instead(player):
    evenings.append(player)
    if len(evenings) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return "Spelare 3"

request = Request(key="erase", digest=b"erase", by="host.0", expected="any", status=200)
circle = book.circle(UUID(circle_id))
erasure.erase_member(book, circle, "m3", request, ("Medlem 3", instead), lambda _: b"{}")
"""


def test_an_erasure_that_was_killed_in_the_middle_goes_on_when_asked_again(
    circle: Circle, app: Flask
) -> None:
    there = [circle.gather("m1", "m2", "m3") for _ in range(3)]
    url = app.extensions["store"].pool.conninfo
    died = subprocess.run([sys.executable, "-c", DIES, url, circle.id], timeout=60)
    assert died.returncode == -signal.SIGKILL
    assert 0 < len(still_called(app, circle, "m3")) < 3, "in the middle"
    assert circle.state["members"][2]["name"] == "Cilla"
    forget(app, circle, "m3", "erase", lambda: None)
    assert kept_anywhere(app, "Cilla", circle.id, *(t.id for t in there)) == []
    assert clean(circle)


def test_no_old_key_brings_an_erased_name_back(app: Flask, open_table: Any) -> None:
    client = app.test_client()
    body = {"name": "Torsdagar", "members": [{"name": n} for n in ("Ada", "Bo", "Cilla")]}
    found = {"json": body, "headers": {"Idempotency-Key": f"found-{uuid4()}"}}
    made = client.post("/v1/circles", **found).json
    circle = Circle(client, made["id"], made["tokens"])
    by_itself = open_table(players=[{"name": n} for n in ("Ada", "Bo", "Cilla Ek")])
    token = {"token": by_itself.tokens["host"], "members": {"p1": "m1", "p3": "m3"}}
    asked = [
        lambda: circle.write("/evenings", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]},
                             key="gather"),
        lambda: circle.write("/members", {"name": "Disa"}, key="join"),
        lambda: circle.write(f"/evenings/{by_itself.id}", token, method="PUT", key="add"),
        lambda: client.post("/v1/circles", **found),
    ]  # fmt: skip
    table = Table(client, asked[0]().json["id"], asked[0]().json["tokens"])
    for again in asked:
        assert again().status_code in (200, 201)
    remark = {"actions": [{"type": "open_deal"}]}
    joined = [
        lambda: table.write("/players", {"name": "Emil"}, match="*", key="joins"),
        lambda: table.write("/actions", remark, match="*", key="acts"),
        lambda: table.write(
            "/deals/1?reason=CILLA gav fel", method="DELETE", match="*", key="voids"
        ),
    ]
    for first in joined:
        assert first().status_code in (200, 201)
    for member in ("m3", "m4", "m5"):
        assert circle.write(f"/members/{member}/name", method="DELETE").status_code == 200
    for again in (*asked, *joined):
        answer = again()
        assert answer.headers["Idempotency-Replayed"] == "true"
        for name in (b"cilla", b"disa", b"emil"):
            assert name not in answer.data.lower()
    for name in ("Cilla", "Disa", "Emil"):
        assert kept_anywhere(app, name, circle.id, table.id, by_itself.id) == []


def test_who_is_called_like_somebody_erased_is_somebody_new(circle: Circle) -> None:
    table = circle.gather("m1", "m2", "m3")
    circle.write("/members/m4/name", method="DELETE")
    table.write("/players", {"name": "Disa"}, match="*")
    [evening] = circle.state["evenings"]
    assert evening["members"]["p4"] == "m6"
    assert [m["name"] for m in circle.state["members"][3:]] == ["Medlem 4", "Emil", "Disa"]
    assert clean(circle)


def test_an_erasure_in_one_evening_is_of_that_evening(circle: Circle) -> None:
    first, second = circle.gather(), circle.gather()
    first.write("/players/p3/name", method="DELETE")
    assert first.state["players"][2]["name"] == "Spelare 3"
    assert second.state["players"][2]["name"] == "Cilla"
    assert circle.state["members"][2]["name"] == "Cilla"
    assert clean(circle)


def test_who_came_back_to_an_evening_that_had_erased_him_is_erased_again(
    circle: Circle, app: Flask
) -> None:
    table = circle.gather("m1", "m2", "m3")
    table.write("/players/p3/name", method="DELETE")
    assert table.write("/players", {"name": "Cilla"}, match="*").status_code == 201
    assert clean(circle)
    circle.write("/members/m3/name", method="DELETE")
    assert kept_anywhere(app, "Cilla", circle.id, table.id) == []
    assert clean(circle)


def test_who_is_erased_cannot_be_named_in_an_evening_that_is_added(
    circle: Circle, table: Table
) -> None:
    circle.write("/members/m3/name", method="DELETE")
    body = {"token": table.tokens["host"], "members": {"p3": "m3"}}
    answer = circle.write(f"/evenings/{table.id}", body, method="PUT")
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_member")
    assert circle.state["evenings"] == []
