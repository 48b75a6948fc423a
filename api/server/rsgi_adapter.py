"""The adapter between granian's RSGI and the WSGI app.

It receives each request in full before it takes a thread, and makes each response in full before it
sends it. So slow clients, however many, hold no thread and no database connection. Knows nothing of
what a request means.
"""

import asyncio
import io
import logging
import re
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache, partial
from io import SEEK_END
from typing import IO, Any

import psycopg
from flask import Flask
from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # its name for clients

from api.http.client_address import Network, is_forwarded_https, rate_limit_key
from api.http.problems import Problem, busy, is_disk_full, overloaded, unavailable_problem
from api.http.security_headers import cors_headers
from api.observability.request_log import RequestListener, RequestRecord, known_method
from api.rate_limit.enforcement import CLIENT_KEY, RateLimits
from api.rate_limit.policy import Policy, find_policy
from api.representations.event_stream import EventStream
from api.resources.change_feed import STREAM_KEY, ChangeFeed
from api.server.request_buffer import MemoryBudget, Upload
from api.server.response_buffer import Headers, buffer_body, send_file, send_stream
from api.server.worker_pool import REQUEST_ID_PLACEHOLDER, RefusalCache, WorkerPool
from ledger.store.connection_pool import DatabasePool

log = logging.getLogger("vola")

THREADS = 8
MAX_WAITING = 128
"""Enough for a hundred clients that send the same request at once."""
LONG_POOLS = {"audits": 2, "statements": 2, "imports": 1}
"""Threads of their own, so that long work never delays play."""
LONG_MAX_WAITING, LONG_WAIT_SECONDS = 24, 5.0
MAX_PROBES = 2
"""How many requests at a time test whether an unreachable database is back."""
MIB = 1024 * 1024
MAX_UNREAD_BYTES = 64 * MIB
"""Of long responses to one client; a single one may be longer."""
SLOW_READER_BYTES_PER_SECOND = 64 * 1024
"""How fast a client is thought to read a long response, which takes memory until then: granian
takes it at once, and does not say when the client has read it."""

HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")
PAGE_PATHS = ("/form/", "/static/", "/docs", "/rules", "/verify", "/openapi.yaml")

SPACES = re.compile(r"[ \t]+")
NON_ASCII_HEADERS = ("idempotency-key", "if-match", "forwarded", "x-forwarded-for", "x-real-ip")
"""Headers that are not taken for absent when their value is not ASCII."""

SendBody = Callable[[Any], Awaitable[None]]
"""Sends a response over a request's RSGI protocol without a thread."""


class RsgiAdapter:
    """An RSGI app for granian, in which `app` makes the responses."""

    def __init__(self, app: Flask, proxies: Sequence[Network] = ()) -> None:
        self._app, self._proxies = app, proxies
        self._refusals = RefusalCache(app)
        # matching a path costs a twentieth of an action, and clients repeat a few
        self._find_policy = lru_cache(maxsize=512)(partial(find_policy, app))
        self._change_feed: ChangeFeed = app.extensions["change_feed"]
        self._rate_limits: RateLimits | None = app.extensions.get("rate_limits")
        self._record_request: RequestListener = app.extensions["record_request"]
        self._default_pool = WorkerPool("work", threads=THREADS, max_waiting=MAX_WAITING)
        self._page_pool = WorkerPool("pages", threads=2, max_waiting=MAX_WAITING)
        self._long_pools = {
            name: WorkerPool(
                name,
                threads=threads,
                max_waiting=LONG_MAX_WAITING,
                wait_seconds=LONG_WAIT_SECONDS,
                refusal=busy,
            )
            for name, threads in LONG_POOLS.items()
        }
        self._health_pool = WorkerPool("health", threads=1, max_waiting=32)
        self._liveness_pool = WorkerPool("alive", threads=1, max_waiting=32)  # needs no database
        self._body_budget = MemoryBudget(
            total_bytes=64 * MIB, client_bytes=8 * MIB, exhausted=overloaded
        )
        self._import_budget = MemoryBudget(
            total_bytes=48 * MIB, client_bytes=32 * MIB, exhausted=busy
        )
        self._response_budget = MemoryBudget(
            total_bytes=4 * MAX_UNREAD_BYTES, client_bytes=MAX_UNREAD_BYTES, exhausted=busy
        )
        self._log_executor = ThreadPoolExecutor(1, "refusal log")  # the log may be slow

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        def stop(*_: object) -> None:
            loop.call_soon_threadsafe(self._change_feed.close)

        for number in (signal.SIGTERM, signal.SIGINT):  # in addition to granian's handlers
            signal.signal(number, stop)
            signal.siginterrupt(number, False)

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        environ, started_ns = wsgi_environ(scope), time.perf_counter_ns()
        if is_forwarded_https(environ, self._proxies):
            environ["wsgi.url_scheme"] = "https"  # for links, for secure cookies and for HSTS
        upload = Upload(environ, proto)
        try:
            if self._rate_limits:
                self._rate_limits.count_request(environ)
            policy = self._find_policy(environ["REQUEST_METHOD"], environ["PATH_INFO"])
            respond = partial(self._respond, environ, proto, started_ns)
            if upload.length == 0:
                send = await self._run_in_pool(policy, environ, respond)
            else:
                budget = self._import_budget if policy.pool == "imports" else self._body_budget
                with budget.reservation(self._client(environ)) as reserve:
                    body = await upload.receive(policy.max_bytes, reserve)
                    environ["wsgi.input"] = io.BytesIO(body)
                    send = await self._run_in_pool(policy, environ, respond)
            if send:
                await send(proto)
        except Problem as refusal:
            self._refuse(environ, proto, refusal, started_ns)
        except ProtocolClosed:
            return  # the client has gone
        await upload.discard()

    def _client(self, environ: dict[str, Any]) -> str:
        """Return what counts as one client."""
        counted = environ.get(CLIENT_KEY)  # by the rate limits
        return counted[0] if counted else rate_limit_key(environ, self._proxies)

    async def _run_in_pool(
        self, policy: Policy, environ: dict[str, Any], respond: Callable[[], SendBody | None]
    ) -> SendBody | None:
        """Run `respond` in a thread of the request's worker pool."""
        pool = self._worker_pool(policy, environ["PATH_INFO"])
        needs_database = pool is self._default_pool or policy.pool in LONG_POOLS
        database = self._change_feed.pool
        is_away = isinstance(database, DatabasePool) and database.unreachable
        if needs_database and is_away and self._default_pool.busy >= MAX_PROBES:
            raise unavailable_problem(self._app)
        return await pool.run(respond)

    def _worker_pool(self, policy: Policy, path: str) -> WorkerPool:
        if path in HEALTH_PATHS:
            return self._liveness_pool if path == "/healthz" else self._health_pool
        if path == "/" or path.startswith(PAGE_PATHS):
            return self._page_pool
        return self._long_pools.get(policy.pool, self._default_pool)

    def _respond(self, environ: dict[str, Any], proto: Any, started_ns: int) -> SendBody | None:
        """Respond from this thread; return how to send a file or a stream."""
        status = 500
        headers: list[tuple[str, str]] = []

        def start_response(status_line: str, wsgi_headers: Headers, _: object = None) -> Any:
            nonlocal status, headers
            status, headers = int(status_line[:3]), wsgi_headers

        try:
            chunks = self._app(environ, start_response)
            if STREAM_KEY in environ:
                stream: EventStream = environ[STREAM_KEY]
                return lambda proto: send_stream(proto, status, headers, stream, chunks)
            body = buffer_body(chunks)
        except Exception as error:
            log.exception("A request was not answered")
            self._refuse(environ, proto, self._failure_problem(error), started_ns)
            return None
        if isinstance(body, bytes):
            proto.response_bytes(status, headers, body)
            return None
        return lambda proto: self._send_file(environ, proto, status, headers, body)

    async def _send_file(
        self, environ: dict[str, Any], proto: Any, status: int, headers: Headers, body: IO[bytes]
    ) -> None:
        """Send a long response. Raise Problem, with nothing sent, while this client or all of them
        have too much to read."""
        size, reservation = min(body.seek(0, SEEK_END), MAX_UNREAD_BYTES), ExitStack()
        reserve = reservation.enter_context(
            self._response_budget.reservation(self._client(environ))
        )
        try:
            reserve(size)
        except Problem:
            reservation.close()
            body.close()
            raise
        seconds = size / SLOW_READER_BYTES_PER_SECOND
        asyncio.get_running_loop().call_later(seconds, reservation.close)
        await send_file(proto, status, headers, body)

    def _failure_problem(self, error: Exception) -> Problem:
        """Return the problem for a response that failed half-way; nothing of it has been sent."""
        if isinstance(error, psycopg.OperationalError) or is_disk_full(error):
            return unavailable_problem(self._app, error)
        return Problem(500, "internal_error", request_id=REQUEST_ID_PLACEHOLDER)

    def _refuse(
        self, environ: dict[str, Any], proto: Any, refusal: Problem, started_ns: int
    ) -> None:
        accept, query = environ.get("HTTP_ACCEPT_LANGUAGE", ""), environ["QUERY_STRING"]
        headers, body = self._refusals.localized_response(refusal, accept=accept, query=query)
        origin = environ.get("HTTP_ORIGIN", "")
        headers = [*headers, *cors_headers(self._app, environ["PATH_INFO"], origin)]
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        proto.response_bytes(refusal.status, headers, b"" if is_head else body)
        record = RequestRecord(
            method=known_method(environ["REQUEST_METHOD"]),
            status=refusal.status,
            code=refusal.code,
            request_id=dict(headers)["X-Request-Id"],
            bytes=0 if is_head else len(body),
            micros=(time.perf_counter_ns() - started_ns) // 1000,
        )
        self._log_executor.submit(self._record_request, record)


def wsgi_environ(scope: Any) -> dict[str, Any]:
    """Return the WSGI environ of an RSGI request whose body has not been read yet.

    Several spaces in a header become one, which means the same (RFC 9110 §5.6.3): the time that
    Werkzeug takes to parse Accept or Cookie would grow with the square of their number.
    """
    server, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string.encode().decode("latin-1"),
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        if "_" in name:
            continue  # WSGI could not tell it from the header with a hyphen
        if "  " in value or "\t" in value:
            value = SPACES.sub(" ", value)
        key = _environ_key(name)
        if key in environ:
            environ[key] += ("; " if key == "HTTP_COOKIE" else ",") + value
        else:
            environ[key] = value
    for name in NON_ASCII_HEADERS:
        if name in scope.headers:  # items() leaves out a value that is not ASCII
            environ.setdefault(_environ_key(name), "\xff")
    return environ


@lru_cache(maxsize=256)
def _environ_key(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
