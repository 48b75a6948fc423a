"""Where requests arrive: each is read to its end before a thread is spent on it, and each answer is
whole before it is sent. So nobody who writes or reads slowly holds a thread or a connection to the
database, however many of them there are.

Speaks granian's RSGI on one side and WSGI on the other. Knows nothing of what is asked.
"""

import asyncio
import io
import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
from flask import Flask
from psycopg_pool import PoolTimeout

from api.admission import NUMBER, Headers, Lane, Refusals, overloaded
from api.answered import Answered, turned_away
from api.answering import OnDisk, gathered
from api.environ import environment
from api.limits import Limits
from api.live import LISTENING, Watch
from api.problems import Problem
from api.streams import Stream, send
from ledger.database import Roads

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger("vola")

THREADS = 8
WAITING = 128
"""So that a hundred who ask the same at once are all answered."""
BODY_SECONDS = 10
"""How long a body may take; what has arrived earns it more, a second for every SLOWEST bytes."""
SLOWEST = 16 * 1024
TRYING = 2
"""How many at once find out whether a database that was away is back."""
MOST_BODY = 16 * 1024 * 1024
"""Of more than this the rest is not kept. What a request may have, the app knows."""
MOST_BODIES = 64 * 1024 * 1024
"""Of all requests that have not been answered, together."""
TELL_SECONDS = 0.2
"""How long what was turned away waits for its line in the log."""
OPENED_SECONDS = 10
"""By then the server has opened the file of a long answer."""

HEALTH = ("/healthz", "/readyz", "/metrics")
PAGES = ("/form/", "/static/", "/docs", "/verify", "/openapi.yaml")

Live = tuple[int, Headers, Stream, Iterable[bytes]]


class Reception:
    """An app for granian: `wsgi` answers, `app` is what it is made of."""

    def __init__(self, app: Flask, wsgi: "WSGIApplication") -> None:
        self._wsgi = wsgi
        self._refusals = Refusals(app)
        self._watch: Watch = app.extensions["live"]
        self._limits: Limits | None = app.extensions.get("limits")
        self._tell: Callable[[Answered], None] = app.extensions["tell"]
        self._work = Lane("work", threads=THREADS, waiting=WAITING)
        self._pages = Lane("pages", threads=2, waiting=WAITING)
        self._audits = Lane("audits", threads=2, waiting=32)  # long ones keep nobody from playing
        self._health = Lane("health", threads=1, waiting=32)
        self._alive = Lane("alive", threads=1, waiting=32)  # whatever the others wait for
        self._bodies = 0
        self._untold = list[Answered]()
        self._teller = ThreadPoolExecutor(1, "teller")
        self._loop: asyncio.AbstractEventLoop | None = None

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

        def stopping(*_: object) -> None:
            loop.call_soon_threadsafe(self._watch.close)

        for number in (signal.SIGTERM, signal.SIGINT):  # beside what granian's loop does with them
            signal.signal(number, stopping)
            signal.siginterrupt(number, False)

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        environ, began = environment(scope), time.perf_counter_ns()
        try:
            if self._limits:
                self._limits.arrive(environ)
            kept = await self._receive(environ, proto)
            try:
                lane = self._lane(environ["PATH_INFO"])
                if lane in (self._work, self._audits) and self._away():
                    raise Problem(503, "database_unavailable", {"Retry-After": "2"})
                live = await lane.do(partial(self._answer, environ, proto, began))
            finally:
                self._bodies -= kept
            if live:
                await send(proto, *live)
        except Problem as refusal:
            self._refuse(environ, proto, refusal, began)

    def _lane(self, path: str) -> Lane:
        if path in HEALTH:
            return self._alive if path == "/healthz" else self._health
        if path == "/" or path.startswith(PAGES):
            return self._pages
        return self._audits if path.endswith("/audit") else self._work

    def _away(self) -> bool:
        """Whether the database is known to be away; a few find out if it is still."""
        pool = self._watch.pool
        return isinstance(pool, Roads) and pool.away and self._work.busy >= TRYING

    async def _receive(self, environ: dict[str, Any], proto: Any) -> int:
        """Read the body into `wsgi.input`; how many bytes are held until it is answered. Problem
        when it is too slow, or others hold too many."""
        declared = environ.get("CONTENT_LENGTH", "0")
        if declared == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
            return 0
        if not declared.isdecimal() or len(declared) > 9 or int(declared) > MOST_BODY:
            return 0  # the app refuses so much by its length
        body: bytes | bytearray
        try:
            if "HTTP_TRANSFER_ENCODING" not in environ and int(declared) <= SLOWEST:
                body = await self._at_once(int(declared), proto)
            else:
                body = await self._piece_by_piece(proto)
        except TimeoutError:
            raise Problem(408, "too_slow", {"Connection": "close"}) from None
        environ["wsgi.input"] = io.BytesIO(body)
        return len(body)

    async def _at_once(self, length: int, proto: Any) -> bytes:
        """A short body, for which the loop wakes once. TimeoutError; Problem when others hold too
        many."""
        with self._held(length) as more:
            async with asyncio.timeout(BODY_SECONDS):
                body: bytes = await proto()
            more(len(body) - length)
        return body

    async def _piece_by_piece(self, proto: Any) -> bytearray:
        """A long one, or one that does not say how long it is."""
        body, began = bytearray(), asyncio.get_running_loop().time()
        with self._held(0) as more:
            async with asyncio.timeout_at(began + BODY_SECONDS) as patience:
                async for piece in proto:
                    if len(body) > MOST_BODY:
                        continue
                    body += piece
                    more(len(piece))
                    if earned := len(body) // SLOWEST:
                        patience.reschedule(began + BODY_SECONDS + earned)
        return body

    @contextmanager
    def _held(self, length: int) -> Iterator[Callable[[int], None]]:
        """So many bytes and more are held from now on, unless this fails. Problem when there are
        too many."""
        held = 0

        def more(length: int) -> None:
            nonlocal held
            held, self._bodies = held + length, self._bodies + length
            if self._bodies > MOST_BODIES:
                raise overloaded()

        try:
            more(length)
            yield more
        except BaseException:
            self._bodies -= held
            raise

    def _answer(self, environ: dict[str, Any], proto: Any, began: int) -> Live | None:
        """Answer from this thread; a live stream is given back, for it needs no thread."""
        status, headers = 500, list[tuple[str, str]]()

        def start(line: str, told: Headers, _: object = None) -> Any:
            nonlocal status, headers
            status, headers = int(line[:3]), told

        try:
            pieces = self._wsgi(environ, start)
            if LISTENING in environ:
                return status, headers, environ[LISTENING], pieces
            whole = gathered(pieces)
        except Exception as failed:
            log.exception("A request was not answered")
            self._refuse(environ, proto, _broken_off(failed), began)
            return None
        if isinstance(whole, bytes):
            proto.response_bytes(status, headers, whole)
        else:
            self._hold_out(proto, status, headers, whole)
        return None

    def _hold_out(self, proto: Any, status: int, headers: Headers, whole: OnDisk) -> None:
        """Have the server send a file, which nobody else finds any more once it is open."""
        sized = [(name, value) for name, value in headers if name.lower() != "content-length"]
        proto.response_file(status, [*sized, ("Content-Length", str(whole.size))], whole.path)
        assert self._loop
        self._loop.call_soon_threadsafe(self._loop.call_later, OPENED_SECONDS, whole.forget)

    def _refuse(self, environ: dict[str, Any], proto: Any, refusal: Problem, began: int) -> None:
        accepts, query = environ.get("HTTP_ACCEPT_LANGUAGE", ""), environ["QUERY_STRING"]
        headers, body = self._refusals(refusal, accepts=accepts, query=query)
        empty = environ["REQUEST_METHOD"] == "HEAD"
        proto.response_bytes(refusal.status, headers, b"" if empty else body)
        self._tell_later(
            turned_away(
                method=environ["REQUEST_METHOD"],
                status=refusal.status,
                code=refusal.code,
                request_id=dict(headers)["X-Request-Id"],
                bytes=0 if empty else len(body),
                micros=(time.perf_counter_ns() - began) // 1000,
            )
        )

    def _tell_later(self, told: Answered) -> None:
        """A few at a time and in another thread: whoever reads the log may be slow, too."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._keep, told)

    def _keep(self, told: Answered) -> None:
        self._untold.append(told)
        if len(self._untold) == 1 and self._loop:
            self._loop.call_later(TELL_SECONDS, self._tell_all)

    def _tell_all(self) -> None:
        untold, self._untold = self._untold, []
        assert self._loop
        self._loop.run_in_executor(self._teller, lambda: [self._tell(told) for told in untold])


def _broken_off(failed: Exception) -> Problem:
    """What is said of an answer that could not be made to its end; nothing of it has been sent."""
    if isinstance(failed, psycopg.OperationalError | PoolTimeout):
        return Problem(503, "database_unavailable", {"Retry-After": "2"})
    return Problem(500, "internal_error", request_id=NUMBER)
