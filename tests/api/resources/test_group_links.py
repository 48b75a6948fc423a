"""A link of a circle ends, and whoever is in by it is out; at once, also if he waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.api.conftest import Table, keys
from tests.api.test_circles import FIVE, Circle, founded
from tests.api.test_circles_rights import OPERATIONS, asks

ROLES = ("host", "scorer", "viewer")
EVERYBODY = {"p1": "m1", "p2": "m2", "p3": "m3", "p4": "m4"}
guests = count(1)


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(use_cookies=False), *FIVE)


def end(circle: Circle, link: str, role: str = "host", **more: Any) -> TestResponse:
    more.setdefault("key", str(uuid4()))
    return circle.write(f"/links/{link}", method="DELETE", role=role, **more)


def shown(links: Any) -> dict[str, str]:
    """The token of each."""
    return {link["role"]: link["path"].rpartition("/")[2] for link in links["links"]}


def now(circle: Circle, answer: TestResponse) -> Circle:
    """The circle with the links that this answer shows."""
    assert answer.status_code == 200, answer.text
    return Circle(circle.client, circle.id, shown(answer.json))


def code(answer: TestResponse) -> tuple[int, str | None]:
    told: Any = answer.json
    return answer.status_code, told.get("code") if answer.status_code >= 400 else None


@pytest.mark.parametrize("link", ROLES)
def test_the_link_of_a_role_ends_and_another_takes_its_place(circle: Circle, link: str) -> None:
    before = shown(circle.get("/links", role="host").json)
    assert before == circle.tokens
    answer = end(circle, link)
    told: Any = answer.json
    assert told["role"] == link
    assert all(one["qr"].startswith("<svg ") and one["url"] for one in told["links"])
    after = now(circle, answer)
    assert {role for role in ROLES if after.tokens[role] != before[role]} == {link}
    assert after.tokens[link].startswith(f"{link}1.")
    assert after.get(role=link).status_code == 200
    assert shown(after.get("/links", role="host").json) == after.tokens


@pytest.mark.parametrize("link", ROLES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_by_the_old_one_nothing_works_any_more(
    circle: Circle, app: Flask, link: str, operation: str
) -> None:
    """As if the circle had never been; the ways into evenings are shown no more, either."""
    circle.gather("m1", "m2", "m3")
    after = now(circle, end(circle, link))
    stranger, browser = app.test_client(use_cookies=False), app.test_client()
    old = {"Authorization": f"Bearer {circle.tokens[link]}"}
    browser.set_cookie(f"vola-{circle.id}", circle.tokens[link])
    never = asks(stranger, str(uuid4()), operation, **old)
    assert code(never) == (404, "unknown_circle")
    assert asks(stranger, circle.id, operation, **old).data == never.data
    assert asks(browser, circle.id, operation).data == never.data
    assert len(after.state["members"]) == 5


def test_a_cookie_of_the_old_one_lets_nobody_in_and_one_of_the_new_does(
    circle: Circle, app: Flask
) -> None:
    browser = app.test_client()
    right = {"Authorization": f"Bearer {circle.tokens['viewer']}"}
    assert asks(browser, circle.id, "cookie", **right).status_code == 204
    assert asks(browser, circle.id, "look").status_code == 200
    after = now(circle, end(circle, "viewer"))
    assert asks(browser, circle.id, "look").status_code == 404
    right = {"Authorization": f"Bearer {after.tokens['viewer']}"}
    assert asks(browser, circle.id, "cookie", **right).status_code == 204
    assert asks(browser, circle.id, "look").status_code == 200


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_the_host_ends_links(circle: Circle, role: str) -> None:
    for link in (*ROLES, "nobody"):
        assert code(end(circle, link, role)) == (403, "role_too_low")
    assert shown(circle.get("/links", role="host").json) == circle.tokens


@pytest.mark.parametrize("link", ["Host", "phone1", "host0", "0", " scorer"])
def test_a_link_that_there_is_not_does_not_end(circle: Circle, link: str) -> None:
    assert code(end(circle, link)) == (404, "not_found")


def test_the_same_request_ends_one_link_however_often_it_is_sent(circle: Circle) -> None:
    first, second = (end(circle, "scorer", key="short") for _ in range(2))
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    assert first.headers["Location"] == second.headers["Location"] == circle.here
    assert code(end(circle, "viewer", key="short")) == (422, "idempotency_key_reused")
    assert now(circle, end(circle, "scorer")).tokens["scorer"].startswith("scorer2.")


def test_a_replay_shows_the_links_as_they_are_now(circle: Circle) -> None:
    """Were they those of then, who replays it would hand out a link that is worth nothing."""
    end(circle, "viewer", key="first")
    end(circle, "viewer")
    assert now(circle, end(circle, "viewer", key="first")).tokens["viewer"].startswith("viewer2.")


def test_no_token_is_kept_and_the_auditor_is_content(
    circle: Circle, table: Table, app: Flask
) -> None:
    body = {"token": table.tokens["host"], "members": EVERYBODY}
    assert circle.write(f"/evenings/{table.id}", body, method="PUT").status_code == 200
    for link in ("viewer", "scorer", "host"):
        circle = now(circle, end(circle, link))
    with app.extensions["store"].pool.connection() as db:
        kept = db.execute(
            "SELECT convert_from(body, 'utf8') FROM vola.circle_replies WHERE circle_id = %s",
            (circle.id,),
        ).fetchall()
    assert len(kept) == 5
    seals = [token.partition(".")[2] for token in circle.tokens.values()]
    assert not any(seal in body for (body,) in kept for seal in seals)
    assert table.get("/audit").json["findings"] == []


# Who waits while it ends


@pytest.mark.parametrize(
    "write",
    [
        lambda circle: circle.write("/members", {"name": f"Fia {next(guests)}"}, role="scorer"),
        lambda circle: circle.write(
            "/evenings", {"game": "polskt_pass", "members": ["m1", "m2", "m3"]}, role="scorer"
        ),
        lambda circle: circle.write("/members/m5/name", method="DELETE", role="host"),
        lambda circle: end(circle, "viewer"),
        lambda circle: end(circle, "host", key=f"{next(keys)}".zfill(40)),
    ],
    ids=["join", "gather", "forget", "end a link", "end the host's own"],
)
def test_who_waited_for_the_circle_while_his_link_ended_writes_nothing(
    circle: Circle, app: Flask, monkeypatch: pytest.MonkeyPatch, write: Callable[[Circle], Any]
) -> None:
    """Access was given before, the circle's turn came after."""
    before = circle.state
    asked = app.extensions["circles"].circle

    def late(circle_id: UUID) -> Any:
        found = asked(circle_id)
        with app.extensions["store"].pool.connection() as db:
            db.execute(
                "UPDATE vola.circles SET tokens = '{1,1,0}' WHERE circle_id = %s", (circle_id,)
            )
        return found

    monkeypatch.setattr(app.extensions["circles"], "circle", late)
    assert code(write(circle)) == (404, "unknown_circle")
    monkeypatch.undo()
    assert circle.state == before


def test_of_two_who_end_the_same_link_at_once_the_later_is_out(circle: Circle, app: Flask) -> None:
    """Else each would hold a link that the other has ended, and not know it."""
    both = [Circle(app.test_client(use_cookies=False), circle.id, circle.tokens) for _ in range(2)]
    with ThreadPoolExecutor(2) as at_once:
        answers = list(at_once.map(lambda one: end(one, "host"), both))
    assert sorted(answer.status_code for answer in answers) == [200, 404]
    (answer,) = (answer for answer in answers if answer.status_code == 200)
    after = now(circle, answer)
    assert after.tokens["host"].startswith("host1.")
    assert after.get("/links", role="host").status_code == 200


def test_one_request_sent_many_times_at_once_is_told_one_thing(circle: Circle, app: Flask) -> None:
    key = str(uuid4())
    ten = [Circle(app.test_client(use_cookies=False), circle.id, circle.tokens) for _ in range(10)]
    with ThreadPoolExecutor(10) as at_once:
        answers = list(at_once.map(lambda one: end(one, "host", key=key), ten))
    assert {(answer.status_code, answer.data) for answer in answers} == {(200, answers[0].data)}
    assert [a.headers.get("Idempotency-Replayed") for a in answers].count(None) == 1


# Evenings


def into_evenings(circle: Circle, role: str = "viewer") -> list[str]:
    """The ways in that a link of this role is shown."""
    evenings: Any = circle.get(role=role).json
    return [evening["path"].rpartition("/")[2] for evening in evenings["evenings"]]


def test_evenings_that_were_shown_stay_open_unless_they_are_ended_too(circle: Circle) -> None:
    tables = [circle.gather("m1", "m2", "m3"), circle.gather("m2", "m3", "m4")]
    phone = tables[0].write("/phones", {"label": "x", "role": "viewer"}).json["token"]
    old = into_evenings(circle)
    after = now(circle, end(circle, "viewer"))
    assert into_evenings(after) == old
    assert [t.get().status_code for t in tables] == [200, 200]
    after = now(after, end(after, "viewer?evenings=true"))
    new = into_evenings(after)
    for table, was, is_now in zip(tables, old, new, strict=True):
        table.tokens |= {"old": was, "new": is_now, "phone": phone}
        assert [table.get(role=r).status_code for r in ("old", "new")] == [404, 200]
        assert table.get(role="scorer").status_code == 200
        assert table.get("/audit").json["findings"] == []
    assert tables[0].get(role="phone").status_code == 200


def test_no_other_circle_s_evening_is_touched(circle: Circle, table: Table, app: Flask) -> None:
    other = founded(app.test_client(use_cookies=False), *FIVE)
    theirs, alone = other.gather("m1", "m2", "m3"), table
    end(circle, "viewer?evenings=true")
    for untouched in (theirs, alone):
        assert untouched.get(role="viewer").status_code == 200
    assert other.get().status_code == 200


def test_evenings_end_once_however_often_it_is_said(circle: Circle) -> None:
    circle.gather("m1", "m2", "m3")
    key = str(uuid4())
    for _ in range(2):
        after = now(circle, end(circle, "scorer?evenings=true", key=key))
    assert [token.partition(".")[0] for token in into_evenings(after, "scorer")] == ["scorer1"]
    assert code(end(circle, "scorer", key=key)) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("said", ["1", "True", "", "yes"])
def test_what_is_neither_yes_nor_no_is_refused(circle: Circle, said: str) -> None:
    refused = end(circle, f"viewer?evenings={said}")
    assert code(refused) == (422, "wrong_shape")
    told: Any = refused.json
    assert told["errors"][0]["pointer"] == "?evenings"
