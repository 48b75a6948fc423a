"""Live changes: who looks at an evening is told within a second that something was written.

A stream tells versions, never what is in them: whoever hears one asks for what he may see; and who
is writing a deal down just now, never what he writes. Each process has a fixed number of streams
and one thread that asks the database for the heads of all evenings that are watched, in one
statement, while somebody watches. A link or a phone that was ended and a name that was erased are
news without a version: the same one is told again. A stream has neither a connection nor, behind
`api.reception`, a thread. It ends after a minute and is asked for anew, so that nobody listens for
longer than that with a right which was taken back.
"""

import logging
import re
import threading
import time
from collections import Counter
from uuid import UUID

import psycopg
from flask import Blueprint, Response, current_app, g, request
from psycopg_pool import PoolClosed, PoolTimeout

from api import access
from api.problems import Problem
from api.recording import line
from api.streams import Stream
from ledger import heads
from ledger.database import Pool

log = logging.getLogger("vola")

STREAMS = 256
"""At once, in one process."""
OF_ONE_EVENING = 16
"""Of them: nobody with one link takes them all."""
LOOK_SECONDS = 0.25
FORGET_SECONDS = 10
"""A stream that nobody has closed so long after its end does not count any more."""

LISTENING = "vola.listening"
"""Where the environment of a request has its stream, when that is what it was answered with."""

blueprint = Blueprint("live", __name__, url_prefix="/v1/sessions")


class TooManyStreams(Exception):
    """This process, or this evening in it, has as many listeners as it may."""


class Watch:
    """All streams of this process, and the thread that looks for what they wait for."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._streams: set[Stream] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._wanted = threading.Event()
        self._looking = False

    def listen(self, session_id: UUID, seen: int | None = None) -> Stream:
        """A stream of this evening's versions, from the newest on unless that is the one `seen`.
        TooManyStreams."""
        with self._lock:
            old = time.monotonic() - FORGET_SECONDS
            self._streams = {stream for stream in self._streams if stream.ends > old}
            here = Counter(stream.session_id for stream in self._streams)
            if len(self._streams) >= STREAMS or here[session_id] >= OF_ONE_EVENING:
                raise TooManyStreams
            stream = Stream(session_id, seen, self._leave)
            if self._closed.is_set():
                stream.stop()
                return stream
            self._streams.add(stream)
            if not self._looking:
                threading.Thread(target=self._look, name="watch", daemon=True).start()
                self._looking = True  # it has begun, and waits for this lock
        self._wanted.set()
        return stream

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._streams)

    def close(self) -> None:
        """All streams end, and there are no new ones: this process is about to stop."""
        self._closed.set()
        for stream in self._all():
            stream.stop()

    def _leave(self, stream: Stream) -> None:
        with self._lock:
            self._streams.discard(stream)

    def _all(self) -> list[Stream]:
        with self._lock:
            return list(self._streams)

    def _look(self) -> None:
        silent = False
        while streams := self._to_look_for():
            try:
                looked = heads.look(self.pool, {s.session_id for s in streams}).items()
                found = {
                    which: (head.version, line(head.recording), head.beside)
                    for which, head in looked
                }
                silent = False
            except (psycopg.Error, PoolTimeout, PoolClosed) as error:
                if not silent:
                    log.warning("Live changes wait for the database: %s", str(error).strip())
                silent, found = True, {}
            except Exception:
                log.exception("Nobody was told what is new")
                found = {}
            for stream in streams:
                if stream.session_id in found:
                    stream.hear(*found[stream.session_id])
            self._wanted.wait(LOOK_SECONDS)  # who comes does not wait for the next look
            self._wanted.clear()

    def _to_look_for(self) -> list[Stream]:
        """The streams; when there are none the thread ends, and the next listener begins one."""
        with self._lock:
            if self._streams and not self._closed.is_set():
                return list(self._streams)
            self._looking = False
            return []


@blueprint.get("/<session>/stream")
@access.requires("viewer")
def stream() -> Response:
    """Server-sent events: each new version of the evening, soon after it was written, and who is
    writing a deal down, as that changes."""
    made = Response(content_type="text/event-stream")
    made.headers["Cache-Control"] = "no-store"
    made.headers["X-Accel-Buffering"] = "no"  # a proxy is not to wait for more of it
    if request.method == "HEAD":
        return made
    known = request.headers.get("Last-Event-ID", "")
    seen = int(known) if re.fullmatch(r"[1-9][0-9]{0,8}", known) else None
    watch: Watch = current_app.extensions["live"]
    try:
        listening = watch.listen(g.session_id, seen)
    except TooManyStreams:
        raise Problem(503, "too_many_streams", {"Retry-After": "5"}) from None
    request.environ[LISTENING] = listening  # a server that knows what it is waits for all of them
    made.response, made.implicit_sequence_conversion = listening, False  # not even to measure it
    return made
