"""How many requests are worked on at once, how many wait for that and how long, and what the rest
are told: at once that it is too much, and when to come again.

A queue that grows makes everybody wait; so it is short, and whoever it has no place for hears so
while he can still go elsewhere. A refusal is made once in each language and costs next to nothing.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from flask import Flask

from api import problems, words
from api.problems import Problem

T = TypeVar("T")
Todo = tuple[Callable[[], object], asyncio.AbstractEventLoop, asyncio.Future[Any]]

WAIT_SECONDS = 1.0
NUMBER = "0" * 16
"""Where a refusal that is made beforehand has the number of the request, as long as that is."""

Headers = list[tuple[str, str]]


def overloaded() -> Problem:
    """There is no place to wait, or the wait was too long; nothing has been done."""
    return Problem(503, "overloaded", {"Retry-After": "2"})


class Lane:
    """So many threads, and so many requests that wait for one. Lives in one event loop."""

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self.threads, self.waiting = threads, waiting
        self._todo = SimpleQueue[Todo]()
        for number in range(threads):
            Thread(target=self._work, name=f"{name} {number}", daemon=True).start()
        self._turns: deque[asyncio.Future[bool]] = deque()
        self._busy = 0

    @property
    def busy(self) -> int:
        """How many are at work."""
        return self._busy

    async def do(self, work: Callable[[], T]) -> T:
        """What `work` gives, in a thread of this lane. Problem when it is overloaded."""
        loop = asyncio.get_running_loop()
        if self._busy < self.threads:
            self._busy += 1
        elif len(self._turns) < self.waiting:
            turn = loop.create_future()
            self._turns.append(turn)
            impatience = loop.call_later(WAIT_SECONDS, self._give_up, turn)
            try:
                mine = await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled() and turn.result():
                    self._hand_on()
                raise
            finally:
                impatience.cancel()
            if not mine:
                raise overloaded()
        else:
            raise overloaded()
        done = loop.create_future()
        self._todo.put((work, loop, done))
        found: T = await done  # who hangs up does not free the thread that is at work
        return found

    def _work(self) -> None:
        """One of the threads. (An executor makes a future of its own for each, which the loop's
        then follows: a tenth of what a short request takes.)"""
        while True:
            work, loop, done = self._todo.get()
            given, failed = None, None
            try:
                given = work()
            except BaseException as error:
                failed = error
            with suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(self._end, done, given, failed)

    def _end(self, done: asyncio.Future[Any], given: Any, failed: BaseException | None) -> None:
        self._hand_on()
        if done.done():
            return
        if failed is None:
            done.set_result(given)
        else:
            done.set_exception(failed)

    def _give_up(self, turn: asyncio.Future[bool]) -> None:
        if not turn.done():
            self._turns.remove(turn)
            turn.set_result(False)

    def _hand_on(self) -> None:
        """A thread is free: to whoever has waited longest, or to nobody."""
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(True)
                return
        self._busy -= 1


class Refusals:
    """Problems as the app would answer them; their operands are few, or NUMBER."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._made = lru_cache(maxsize=64)(self._make)
        self._language = lru_cache(maxsize=256)(self._speaks)

    def __call__(self, problem: Problem, *, accepts: str, query: str) -> tuple[Headers, bytes]:
        """Headers and body, in the language of the request's `Accept-Language` and query."""
        speaks = self._language(accepts[:100], query[:100])
        operands = tuple(problem.more.items())
        headers, body = self._made(problem.status, problem.code, speaks, operands)
        number = secrets.token_hex(8)
        own = [*problem.headers.items(), ("X-Request-Id", number)]
        return [*headers, *own], body.replace(NUMBER.encode(), number.encode())

    def _speaks(self, accepts: str, query: str) -> str:
        given = {"Accept-Language": accepts}
        with self._app.test_request_context(query_string=query, headers=given):
            return words.speaker().language

    def _make(
        self, status: int, code: str, language: str, operands: tuple[tuple[str, Any], ...]
    ) -> tuple[Headers, bytes]:
        with self._app.test_request_context(headers={"Accept-Language": language}):
            said = problems.response(status, code, None, **dict(operands))
            made = self._app.process_response(said)
            kept = [(k, v) for k, v in made.headers.items() if k != "X-Request-Id"]
            return kept, made.get_data()
