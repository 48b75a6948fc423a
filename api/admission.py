"""How many requests are worked on at once, how many wait for that and how long, and what the rest
are told: at once that it is too much, and when to come again.

A queue that grows makes everybody wait; so it is short, and whoever it has no place for hears so
while he can still go elsewhere. A refusal is made once in each language and costs next to nothing.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

from flask import Flask

from api import problems, words
from api.problems import Problem

T = TypeVar("T")

WAIT_SECONDS = 1.0

Headers = list[tuple[str, str]]


def overloaded() -> Problem:
    """There is no place to wait, or the wait was too long; nothing has been done."""
    return Problem(503, "overloaded", {"Retry-After": "2"})


class Lane:
    """So many threads, and so many requests that wait for one. Lives in one event loop."""

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self.threads, self.waiting = threads, waiting
        self._pool = ThreadPoolExecutor(threads, name)
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
        done = loop.run_in_executor(self._pool, work)
        done.add_done_callback(lambda _: self._hand_on())
        return await asyncio.shield(done)  # who hangs up does not free the thread that is at work

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
    """Problems without operands, as the app would answer them."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._made = lru_cache(maxsize=64)(self._make)
        self._language = lru_cache(maxsize=256)(self._speaks)

    def __call__(self, problem: Problem, *, accepts: str, query: str) -> tuple[Headers, bytes]:
        """Headers and body, in the language of the request's `Accept-Language` and query."""
        speaks = self._language(accepts[:100], query[:100])
        headers, body = self._made(problem.status, problem.code, speaks)
        own = [*problem.headers.items(), ("X-Request-Id", secrets.token_hex(8))]
        return [*headers, *own], body

    def _speaks(self, accepts: str, query: str) -> str:
        given = {"Accept-Language": accepts}
        with self._app.test_request_context(query_string=query, headers=given):
            return words.speaker().language

    def _make(self, status: int, code: str, language: str) -> tuple[Headers, bytes]:
        with self._app.test_request_context(headers={"Accept-Language": language}):
            made = self._app.process_response(problems.response(status, code))
            kept = [(k, v) for k, v in made.headers.items() if k != "X-Request-Id"]
            return kept, made.get_data()
