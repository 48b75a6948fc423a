"""Which requests run, which wait, and which are refused.

The tests run without a server, so that nothing depends on time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from api.http.problems import Problem, overloaded
from api.server.worker_pool import RefusalCache, WorkerPool
from tests.support.api.socket_clients import run_in_thread


@pytest.fixture
def worker_pool():
    return WorkerPool("test", threads=1, max_waiting=2)


@pytest.fixture
def impatient_pool(worker_pool, monkeypatch):
    """A pool in which no request waits for a thread."""
    monkeypatch.setattr(worker_pool, "wait_seconds", 0)
    return worker_pool


async def run_ready_tasks() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def start(worker_pool: WorkerPool, work: Callable[[], object]) -> asyncio.Task[object]:
    """Return a request that a thread, or the queue, has taken."""
    request = asyncio.create_task(worker_pool.run(work))
    await run_ready_tasks()
    return request


def test_requests_wait_in_order_and_the_next_is_held_and_refused(worker_pool, monkeypatch):
    monkeypatch.setattr(worker_pool, "hold_seconds", 0)

    async def crowd() -> None:
        released = threading.Event()
        finished: list[str] = []
        first = await start(worker_pool, released.wait)
        waiting = [
            asyncio.create_task(worker_pool.run(lambda name=name: finished.append(name)))
            for name in "ab"
        ]
        await run_ready_tasks()
        with pytest.raises(Problem, match="overloaded"):
            await worker_pool.run(lambda: finished.append("c"))
        released.set()
        await asyncio.gather(first, *waiting)
        assert finished == ["a", "b"]
        assert worker_pool.busy == 0

    run_in_thread(crowd())


def test_a_held_request_waits_as_soon_as_there_is_room(worker_pool, monkeypatch):
    held = asyncio.Event()
    monkeypatch.setattr("api.server.worker_pool.asyncio.sleep", lambda _: held.wait())

    async def crowd() -> None:
        released = threading.Event()
        finished: list[str] = []
        tasks = [asyncio.create_task(worker_pool.run(released.wait)) for _ in range(3)]
        tasks.append(asyncio.create_task(worker_pool.run(lambda: finished.append("held"))))
        released.set()
        await asyncio.gather(*tasks[:3])
        assert not finished
        held.set()
        await tasks[3]
        assert finished == ["held"]
        assert worker_pool.busy == 0

    run_in_thread(crowd())


def test_the_time_for_which_a_request_is_held_counts_as_waiting(worker_pool, monkeypatch):
    held = asyncio.Event()
    monkeypatch.setattr("api.server.worker_pool.asyncio.sleep", lambda _: held.wait())
    monkeypatch.setattr(worker_pool, "hold_seconds", 60)
    monkeypatch.setattr(worker_pool, "wait_seconds", 60)

    async def crowd() -> None:
        released = threading.Event()
        first, *waiting = [asyncio.create_task(worker_pool.run(released.wait)) for _ in range(3)]
        held_request = asyncio.create_task(worker_pool.run(lambda: None))
        await asyncio.wait(waiting, timeout=0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        held.set()
        finished, _ = await asyncio.wait([held_request], timeout=10)
        released.set()
        await first
        assert [str(task.exception()) for task in finished] == ["overloaded"]

    run_in_thread(crowd())


def test_a_request_that_waited_too_long_is_refused_undone(impatient_pool):
    async def crowd() -> None:
        finished: list[str] = []
        released = threading.Event()
        first = await start(impatient_pool, released.wait)
        with pytest.raises(Problem, match="overloaded"):
            await impatient_pool.run(lambda: finished.append("late"))
        released.set()
        await first
        await impatient_pool.run(lambda: finished.append("next"))
        assert finished == ["next"]

    run_in_thread(crowd())


def test_a_client_that_hangs_up_while_waiting_takes_no_turn(worker_pool):
    async def crowd() -> None:
        released = threading.Event()
        finished: list[str] = []
        first = await start(worker_pool, released.wait)
        cancelled = asyncio.create_task(worker_pool.run(lambda: finished.append("gone")))
        waiting = asyncio.create_task(worker_pool.run(lambda: finished.append("stays")))
        await run_ready_tasks()
        cancelled.cancel()
        released.set()
        await asyncio.gather(first, waiting)
        assert finished == ["stays"]
        assert worker_pool.busy == 0

    run_in_thread(crowd())


def test_a_client_that_hangs_up_when_refused_returns_no_place(impatient_pool):
    async def crowd() -> None:
        released, released_next = threading.Event(), threading.Event()
        first = await start(impatient_pool, released.wait)
        timed_out = asyncio.create_task(impatient_pool.run(lambda: None))
        await asyncio.sleep(0)  # its wait of 0 seconds is over
        timed_out.cancel()  # before it is refused
        await run_ready_tasks()
        assert impatient_pool.busy == 1
        released.set()
        await first
        assert impatient_pool.busy == 0
        following = asyncio.create_task(impatient_pool.run(released_next.wait))
        await run_ready_tasks()
        with pytest.raises(Problem, match="overloaded"):
            await impatient_pool.run(lambda: None)  # the pool still has one thread
        released_next.set()
        await following

    run_in_thread(crowd())


def test_a_client_that_hangs_up_at_work_does_not_free_its_thread(worker_pool):
    async def crowd() -> None:
        released = threading.Event()
        first = await start(worker_pool, released.wait)
        first.cancel()
        await run_ready_tasks()
        assert worker_pool.busy == 1
        released.set()
        await worker_pool.run(lambda: None)
        assert worker_pool.busy == 0

    run_in_thread(crowd())


def test_an_error_of_the_work_is_raised_and_the_thread_is_free(worker_pool):
    def fail() -> None:
        raise LookupError

    async def crowd() -> None:
        with pytest.raises(LookupError):
            await worker_pool.run(fail)
        assert worker_pool.busy == 0

    run_in_thread(crowd())


@pytest.mark.parametrize(
    ("accepts", "query", "language"),
    [("de", "", "de"), ("de", "lang=da", "da"), ("", "", "sv"), ("xx;q=9" * 99, "lang=\x00", "sv")],
)
def test_a_refusal_is_written_by_the_app_in_the_readers_language(app, accepts, query, language):
    headers, body = RefusalCache(app).localized_response(overloaded(), accept=accepts, query=query)
    headers_by_name = dict(headers)
    assert headers_by_name["Content-Language"] == language
    assert headers_by_name["Content-Type"] == "application/problem+json"
    assert headers_by_name["Retry-After"] == "2"
    assert headers_by_name["X-Content-Type-Options"] == "nosniff"
    assert len(headers) == len(headers_by_name)
    assert b'"code":"overloaded"' in body


def test_two_refusals_have_different_request_ids(app):
    refusals = RefusalCache(app)
    responses = [refusals.localized_response(overloaded(), accept="", query="") for _ in range(2)]
    assert len({dict(headers)["X-Request-Id"] for headers, _ in responses}) == 2
