"""Long work has threads of its own and never delays a player (tested without a server)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from api.rate_limit.policy import Policy
from api.server.rsgi_adapter import HEALTH_PATHS, LONG_MAX_WAITING, LONG_POOLS, RsgiAdapter
from tests.support.api.socket_clients import run_in_thread

LONG_PATHS = {
    "/v1/sessions/ada/statement": "statements",
    "/v1/sessions/ada/statement/": "statements",
    "/v1/groups/ada/statement": "statements",
    "/v1/sessions/ada/score-sheet": "statements",
    "/v1/sessions/ada/audit": "audits",
    "/v1/imports": "imports",
}
SHORT_PATHS = {
    "/v1/sessions": "GET",
    "/v1/sessions/ada": "GET",
    "/v1/sessions/ada/statement/more": "GET",
    "/v1/groups/ada/standings": "GET",
    "/v1/sessions/ada/actions": "POST",
}


class StubRequest:
    """A request with the interface of granian."""

    query_string, scheme, http_version = "", "http", "1.1"
    server, client, headers = "127.0.0.1:80", "203.0.113.7:5000", {}

    def __init__(self, path: str, method: str = "GET") -> None:
        self.path, self.method = path, method
        self.answer: tuple[int, dict[str, str], bytes] | None = None

    def response_bytes(self, status: int, headers: Any, body: bytes) -> None:
        self.answer = status, dict(headers), body


def fill_pool(app: Flask, path: str, action: Callable[[RsgiAdapter], Any]) -> None:
    """Run an action while all threads of this path are busy and its queue is full."""
    released = threading.Event()

    def wsgi(environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["PATH_INFO"] == path:
            released.wait()
        start("200 OK", [])
        return [b"{}"]

    async def fill() -> None:
        adapter, method = RsgiAdapter(app), "POST" if path == "/v1/imports" else "GET"
        fill = [
            StubRequest(path, method)
            for _ in range(LONG_POOLS[LONG_PATHS[path]] + LONG_MAX_WAITING)
        ]
        tasks = [asyncio.create_task(adapter.__rsgi__(request, request)) for request in fill]
        await asyncio.sleep(0)
        try:
            await action(adapter)
        finally:
            released.set()
        await asyncio.gather(*tasks)
        assert {request.answer and request.answer[0] for request in fill} == {200}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "wsgi_app", wsgi)
        run_in_thread(fill())


@pytest.mark.parametrize("path", LONG_PATHS)
def test_a_short_request_does_not_wait_for_long_work(app: Flask, path: str) -> None:
    async def play(adapter: RsgiAdapter) -> None:
        for short, method in SHORT_PATHS.items():
            stub = StubRequest(short, method)
            await asyncio.wait_for(adapter.__rsgi__(stub, stub), 60)
            assert stub.answer
            assert stub.answer[0] == 200

    fill_pool(app, path, play)


@pytest.mark.parametrize("path", LONG_PATHS)
def test_long_work_beyond_the_queue_is_refused_at_once(app: Flask, path: str) -> None:
    async def ask(adapter: RsgiAdapter) -> None:
        stub = StubRequest(path, "POST" if path == "/v1/imports" else "GET")
        await asyncio.wait_for(adapter.__rsgi__(stub, stub), 4)
        assert stub.answer
        status, headers, body = stub.answer
        assert (status, json.loads(body)["code"]) == (503, "busy")
        assert int(headers["Retry-After"]) > 0

    fill_pool(app, path, ask)


def test_pages_have_threads_of_their_own(app: Flask) -> None:
    adapter = RsgiAdapter(app)
    paths = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if not rule.rule.startswith(("/v1", "/statement/")) and rule.rule not in HEALTH_PATHS
    ]
    pools = {adapter._worker_pool(Policy(), path) for path in ["/", *paths]}
    assert pools == {adapter._page_pool}


def test_imports_run_one_at_a_time() -> None:
    assert LONG_POOLS["imports"] == 1
