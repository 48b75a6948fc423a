"""Who is at work, who waits, who is sent away: without a server, so that nothing hangs on time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from api import admission
from api.admission import Lane, Refusals
from api.problems import Problem
from tests.crowd import alone


@pytest.fixture
def lane():
    return Lane("test", threads=1, waiting=2)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_as_many_wait_as_may_in_their_order_and_the_next_is_refused_at_once(lane):
    async def crowd() -> None:
        held, done = threading.Event(), list[str]()
        first = asyncio.create_task(lane.do(held.wait))
        await settled()
        waiting = [asyncio.create_task(lane.do(lambda who=who: done.append(who))) for who in "ab"]
        await settled()
        with pytest.raises(Problem, match="overloaded"):
            await lane.do(lambda: done.append("c"))
        held.set()
        await asyncio.gather(first, *waiting)
        assert done == ["a", "b"]
        assert lane.busy == 0

    alone(crowd())


def test_who_has_waited_too_long_is_sent_away_and_nothing_was_done(lane, monkeypatch):
    monkeypatch.setattr(admission, "WAIT_SECONDS", 0)

    async def crowd() -> None:
        held, done = threading.Event(), list[str]()
        first = asyncio.create_task(lane.do(held.wait))
        await settled()
        with pytest.raises(Problem, match="overloaded"):
            await lane.do(lambda: done.append("late"))
        held.set()
        await first
        await lane.do(lambda: done.append("next"))
        assert done == ["next"]

    alone(crowd())


def test_who_hangs_up_while_he_waits_takes_nobodys_turn(lane):
    async def crowd() -> None:
        held, done = threading.Event(), list[str]()
        first = asyncio.create_task(lane.do(held.wait))
        await settled()
        gone = asyncio.create_task(lane.do(lambda: done.append("gone")))
        stays = asyncio.create_task(lane.do(lambda: done.append("stays")))
        await settled()
        gone.cancel()
        held.set()
        await asyncio.gather(first, stays)
        assert done == ["stays"]
        assert lane.busy == 0

    alone(crowd())


def test_who_hangs_up_when_he_has_been_sent_away_gives_no_place_back(lane, monkeypatch):
    monkeypatch.setattr(lane, "_hand_on", lambda: places.append("one"))
    places = list[str]()

    async def crowd() -> None:
        held = threading.Event()
        first = asyncio.create_task(lane.do(held.wait))
        await settled()
        late = asyncio.create_task(lane.do(lambda: None))
        await settled()
        lane._give_up(lane._turns[0])
        late.cancel()  # before it has heard of it
        await settled()
        assert places == []
        held.set()
        await first
        await settled()
        assert places == ["one"]

    alone(crowd())


def test_who_hangs_up_at_work_does_not_free_a_thread_that_is_not_free(lane):
    async def crowd() -> None:
        held = threading.Event()
        first = asyncio.create_task(lane.do(held.wait))
        await settled()
        first.cancel()
        await settled()
        assert lane.busy == 1
        held.set()
        await lane.do(lambda: None)
        assert lane.busy == 0

    alone(crowd())


def test_what_the_work_refuses_is_told_and_the_thread_is_free(lane):
    def wrong() -> None:
        raise LookupError

    async def crowd() -> None:
        with pytest.raises(LookupError):
            await lane.do(wrong)
        assert lane.busy == 0

    alone(crowd())


@pytest.mark.parametrize(
    ("accepts", "query", "language"),
    [("de", "", "de"), ("de", "lang=da", "da"), ("", "", "sv"), ("xx;q=9" * 99, "lang=\x00", "sv")],
)
def test_a_refusal_is_the_apps_own_in_the_readers_language(app, accepts, query, language):
    headers, body = Refusals(app)(admission.overloaded(), accepts=accepts, query=query)
    told = dict(headers)
    assert told["Content-Language"] == language
    assert told["Content-Type"] == "application/problem+json"
    assert told["Retry-After"] == "2"
    assert told["X-Content-Type-Options"] == "nosniff"
    assert len(headers) == len(told)
    assert b'"code":"overloaded"' in body


def test_two_refusals_are_told_apart(app):
    made = Refusals(app)
    ids = {
        dict(made(admission.overloaded(), accepts="", query="")[0])["X-Request-Id"]
        for _ in range(2)
    }
    assert len(ids) == 2
