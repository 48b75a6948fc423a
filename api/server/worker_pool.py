"""Worker pools: how many requests run at once, how many wait and how long, and the refusals of all
others.

The queue is short and a refusal immediate, so that a client learns early that the server is
overloaded. Refusals are cached in each language and cost next to nothing.
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

from api.http import problems
from api.http.problems import Problem, overloaded
from api.i18n.translator import request_translator
from api.server.response_buffer import Headers

T = TypeVar("T")
Job = tuple[Callable[[], object], asyncio.AbstractEventLoop, asyncio.Future[Any]]
Finished = tuple[asyncio.Future[Any], Any, BaseException | None]

MAX_WAIT_SECONDS = 0.9
"""How long a request waits for a thread, the time for which it is held included, so that what is
answered takes about a second at most."""
HOLD_SECONDS = 0.75
"""How long a request for which the queue has no room is held before it is refused, unless most of
the queue is free then. A client that waits sends nothing else, and a refusal costs as much as a
small response."""
REQUEST_ID_PLACEHOLDER = "0" * 16
"""Stands for the id of the request in a cached refusal, and is as long."""


class WorkerPool:
    """Threads, and a bounded queue of requests that wait for one. Lives in one event loop."""

    def __init__(
        self,
        name: str,
        *,
        threads: int,
        max_waiting: int,
        wait_seconds: float = MAX_WAIT_SECONDS,
        refusal: Callable[[], Problem] = overloaded,
    ) -> None:
        self.threads, self.max_waiting, self.wait_seconds = threads, max_waiting, wait_seconds
        self.hold_seconds, self._refusal = HOLD_SECONDS, refusal
        self._jobs = SimpleQueue[Job]()
        self._finished: deque[Finished] = deque()
        self._loop_is_called = False  # whether `_finish_all` is scheduled and has not begun
        for number in range(threads):
            Thread(target=self._run_thread, name=f"{name} {number}", daemon=True).start()
        self._free_threads = asyncio.Semaphore(threads)  # first come, first served
        self._waiting = 0
        self.busy = 0  # threads at work

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in a thread of the pool and return its result. Raise the refusal when there is
        no room or the wait is over."""
        wait_seconds = self.wait_seconds
        if self._free_threads.locked() and self._waiting >= self.max_waiting:
            await asyncio.sleep(self.hold_seconds)
            if self._waiting > self.max_waiting // 4:
                raise self._refusal()
            wait_seconds -= self.hold_seconds
        await self._wait_for_thread(wait_seconds)
        self.busy += 1
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._jobs.put((work, loop, future))
        result: T = await future  # a client that hangs up does not free the thread at work
        return result

    async def _wait_for_thread(self, seconds: float) -> None:
        if not self._free_threads.locked():
            await self._free_threads.acquire()
            return
        self._waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._free_threads.acquire()
        except TimeoutError:
            raise self._refusal() from None
        finally:
            self._waiting -= 1

    def _run_thread(self) -> None:
        """Run one of the threads. (A ThreadPoolExecutor makes a future of its own for each job,
        which the loop's follows: a tenth of the time of a short request.)"""
        while True:
            work, loop, future = self._jobs.get()
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:
                error = raised
            self._finished.append((future, result, error))
            if not self._loop_is_called:  # each call wakes the loop: a system call
                self._loop_is_called = True
                with suppress(RuntimeError):  # the loop has been closed
                    loop.call_soon_threadsafe(self._finish_all)

    def _finish_all(self) -> None:
        self._loop_is_called = False
        while self._finished:
            future, value, error = self._finished.popleft()
            self.busy -= 1
            self._free_threads.release()
            if future.done():
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)


class RefusalCache:
    """Problems as the app would answer them. Their operands have few values, or are
    REQUEST_ID_PLACEHOLDER."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._cached_response = lru_cache(maxsize=64)(self._response)
        self._cached_language = lru_cache(maxsize=256)(self._language)

    def localized_response(
        self, problem: Problem, *, accept: str, query: str
    ) -> tuple[Headers, bytes]:
        """Return headers and body, in the language of `Accept-Language` and query."""
        language = self._cached_language(accept[:100], query[:100])
        operands = tuple(problem.operands.items())
        headers, body = self._cached_response(problem.status, problem.code, language, operands)
        request_id = secrets.token_hex(8)
        own_headers = [*problem.headers.items(), ("X-Request-Id", request_id)]
        body = body.replace(REQUEST_ID_PLACEHOLDER.encode(), request_id.encode())
        return [*headers, *own_headers], body

    def _language(self, accept: str, query: str) -> str:
        headers = {"Accept-Language": accept}
        with self._app.test_request_context(query_string=query, headers=headers):
            return request_translator().language

    def _response(
        self, status: int, code: str, language: str, operands: tuple[tuple[str, Any], ...]
    ) -> tuple[Headers, bytes]:
        with self._app.test_request_context(headers={"Accept-Language": language}):
            response = self._app.process_response(
                problems.problem_response(status, code, None, **dict(operands))
            )
            headers = [(k, v) for k, v in response.headers.items() if k != "X-Request-Id"]
            return headers, response.get_data()
