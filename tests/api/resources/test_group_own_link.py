"""A host ends the very link that he is in by, and is not out by his own doing."""

from __future__ import annotations

from uuid import uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from api.limits import Limits
from ledger import circle_links
from tests.api.test_circle_links import code, end, now, shown
from tests.api.test_circles import FIVE, Circle, founded
from tests.api.test_circles_rights import asks


@pytest.fixture
def circle(app: Flask) -> Circle:
    return founded(app.test_client(use_cookies=False), *FIVE)


def test_the_host_is_given_the_next_with_the_answer(circle: Circle) -> None:
    after = now(circle, end(circle, "host"))
    assert after.get(role="host").status_code == 200
    assert code(circle.get(role="host")) == (404, "unknown_circle")
    assert circle.get(role="scorer").status_code == 200
    assert end(after, "host").status_code == 200


def test_a_browser_gets_the_next_as_a_cookie(circle: Circle, app: Flask) -> None:
    browser = app.test_client()
    asks(browser, circle.id, "cookie", Authorization=f"Bearer {circle.tokens['host']}")
    for link, sets in (("viewer", False), ("host", True)):
        answer = browser.delete(
            f"{circle.here}/links/{link}", headers={"Idempotency-Key": str(uuid4())}
        )
        assert answer.status_code == 200
        assert ("Set-Cookie" in answer.headers) == sets
    for sign in ("HttpOnly", "SameSite=Strict", "Max-Age=34560000", "Path=/"):
        assert sign in answer.headers["Set-Cookie"]
    assert asks(browser, circle.id, "links").status_code == 200
    cookie = browser.get_cookie(f"vola-{circle.id}")
    assert cookie is not None
    assert cookie.value == now(circle, answer).tokens["host"]


def test_a_program_is_set_no_cookie(circle: Circle) -> None:
    assert "Set-Cookie" not in end(circle, "host").headers


def test_who_has_not_heard_the_answer_asks_once_more(circle: Circle, app: Flask) -> None:
    """The link is ended, the answer is lost: without this he would be out for good."""
    key = str(uuid4())
    lost = end(circle, "host", key=key)
    heard = end(circle, "host", key=key)
    assert heard.data == lost.data
    assert heard.headers["Idempotency-Replayed"] == "true"
    assert now(circle, heard).get("/links", role="host").status_code == 200
    browser = app.test_client()
    browser.set_cookie(f"vola-{circle.id}", circle.tokens["host"])
    again = browser.delete(f"{circle.here}/links/host", headers={"Idempotency-Key": key})
    assert again.status_code == 200
    assert asks(browser, circle.id, "links").status_code == 200


def wrong(name: str, circle: Circle, key: str) -> TestResponse:
    """What somebody else does who has found the ended link."""
    match name:
        case "another key":
            return end(circle, "host")
        case "no key":
            return circle.client.delete(
                f"{circle.here}/links/host",
                headers={"Authorization": f"Bearer {circle.tokens['host']}"},
            )
        case "the same key for another link":
            return end(circle, "viewer", key=key)
        case "the same key and more":
            return end(circle, "host?evenings=true", key=key)
        case "the same key and nonsense":
            return end(circle, "host?evenings=x", key=key)
        case "the same key for no link":
            return end(circle, "nobody", key=key)
        case "the same key for something else":
            return circle.write("/members", {"name": "Fia"}, key=key)
        case "the scorer's link":
            return end(circle, "host", "scorer", key=key)
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    [
        "another key",
        "the same key for another link",
        "the same key and more",
        "the same key and nonsense",
        "the same key for no link",
        "the same key for something else",
    ],
)
def test_the_ended_link_is_good_for_nothing_else(circle: Circle, name: str) -> None:
    key = str(uuid4())
    after = now(circle, end(circle, "host", key=key))
    assert code(wrong(name, circle, key)) == (404, "unknown_circle")
    assert shown(after.get("/links", role="host").json) == after.tokens
    assert len(after.state["members"]) == 5


def test_who_is_let_in_otherwise_hears_what_he_may(circle: Circle) -> None:
    key = str(uuid4())
    end(circle, "host", key=key)
    assert code(wrong("the scorer's link", circle, key)) == (403, "role_too_low")
    assert code(wrong("no key", circle, key)) == (400, "idempotency_key_missing")


def test_nobody_else_hears_it_though_he_knows_the_key(circle: Circle, app: Flask) -> None:
    other = founded(app.test_client(use_cookies=False), *FIVE)
    viewer = circle.tokens["viewer"]
    key, seal = str(uuid4()), viewer.partition(".")[2]
    circle = now(circle, end(circle, "viewer"))
    end(circle, "host", key=key)
    nobody = Circle(circle.client, str(uuid4()), circle.tokens)
    unknown = end(nobody, "host", key=key)
    for right in (viewer, f"host0.{seal}", "host0." + "A" * 43, "x", *other.tokens.values()):
        stranger = Circle(circle.client, circle.id, {"host": right})
        assert end(stranger, "host", key=key).data == unknown.data
    assert code(unknown) == (404, "unknown_circle")


def test_a_key_that_is_easily_guessed_is_answered_once(circle: Circle) -> None:
    """Else whoever found the link would try `1`, `2`, `3`, and be the host again."""
    after = now(circle, end(circle, "host", key="a" * 21))
    assert code(end(circle, "host", key="a" * 21)) == (404, "unknown_circle")
    assert [end(after, "host", key="b" * 22).status_code for _ in range(2)] == [200, 200]


def test_after_a_day_it_is_not_heard_any_more(
    circle: Circle, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = str(uuid4())
    end(circle, "host", key=key)
    assert end(circle, "host", key=key).status_code == 200
    monkeypatch.setattr(circle_links, "HEARD_MICROS", -1)
    assert code(end(circle, "host", key=key)) == (404, "unknown_circle")


def test_nor_once_the_next_has_ended_as_well(circle: Circle) -> None:
    key = str(uuid4())
    after = now(circle, end(circle, "host", key=key))
    end(after, "host")
    assert code(end(circle, "host", key=key)) == (404, "unknown_circle")


def test_nor_if_the_next_has_ended_while_he_waited(
    circle: Circle, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = str(uuid4())
    end(now(circle, end(circle, "host", key=key)), "host")
    monkeypatch.setattr(app.extensions["circles"], "generations", lambda _: (1, 0, 0))
    assert code(end(circle, "host", key=key)) == (404, "unknown_circle")


def test_what_it_has_ended_before_is_not_heard_again(circle: Circle) -> None:
    """Answers show the links as they are now: the host's as well, which a thief is after."""
    key = str(uuid4())
    end(circle, "viewer", key=key)
    end(circle, "host")
    assert code(end(circle, "viewer", key=key)) == (404, "unknown_circle")


def test_tries_with_the_ended_link_are_counted_as_those_of_strangers(app: Flask) -> None:
    limited = create_app(app.extensions["store"].pool, limits=Limits())
    circle = founded(limited.test_client(use_cookies=False), *FIVE)
    end(circle, "host", key="x" * 30)
    tries = [end(circle, "host").status_code for _ in range(62)]
    assert set(tries[:59]) == {404}
    assert tries[-1] == 429
