"""The change feed: notifies open event streams of a session's new version or other news.

A process has a bounded number of streams and one thread, which polls the heads of all watched
sessions in one statement. Streams carry versions and who is entering a deal, never content: clients
fetch what they may see. A revoked link or device and a corrected or erased name have no version of
their own; the current version is sent again. A stream holds no connection and, behind
`api.server.rsgi_adapter`, no thread. It ends after a minute, and the client opens a new one: a
revoked token is of no use for longer than that.
"""

import logging
import re
import threading
import time
from collections import Counter
from uuid import UUID

import msgspec
import psycopg
from flask import Blueprint, Response, current_app, g, request

from api.auth.access import requires
from api.http.problems import Problem
from api.representations.access import presence_view
from api.representations.event_stream import EventStream
from ledger.access.stream_heads import StreamHead, read_heads
from ledger.store.connection_pool import Pool

blueprint = Blueprint("change_feed", __name__, url_prefix="/v1/sessions")
log = logging.getLogger("vola")

MAX_STREAMS = 256
"""In one process."""
MAX_STREAMS_PER_SESSION = 16
"""In one process: one link cannot take all of them."""
POLL_SECONDS = 0.25
ABANDONED_SECONDS = 10
"""A stream that is not closed this long after its end is not counted any more."""

STREAM_KEY = "vola.event_stream"
"""The key in a request's WSGI environ under which its response leaves its stream."""


class ChangeFeed:
    """All event streams of this process, and the thread that polls for what they wait for."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._streams: set[EventStream] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._subscribed = threading.Event()
        self._is_polling = False

    def subscribe(self, session_id: UUID, seen_version: int | None = None) -> EventStream:
        """Return a stream of this session's versions, starting with the current one unless it is
        `seen_version`. Raise Problem 503 when this process or session has its maximum."""
        with self._lock:
            oldest = time.monotonic() - ABANDONED_SECONDS
            self._streams = {stream for stream in self._streams if stream.ends_at > oldest}
            per_session = Counter(stream.session_id for stream in self._streams)
            full = len(self._streams) >= MAX_STREAMS
            if full or per_session[session_id] >= MAX_STREAMS_PER_SESSION:
                raise Problem(503, "too_many_streams", {"Retry-After": "5"})
            stream = EventStream(session_id, seen_version, self._unsubscribe)
            if self._closed.is_set():
                stream.stop()
                return stream
            self._streams.add(stream)
            if not self._is_polling:
                threading.Thread(target=self._poll, name="change feed", daemon=True).start()
                self._is_polling = True  # the thread has begun, and waits for this lock
        self._subscribed.set()
        return stream

    def close(self) -> None:
        """End all streams and accept no new ones: this process is about to stop."""
        self._closed.set()
        with self._lock:
            streams = list(self._streams)
        for stream in streams:
            stream.stop()

    def _unsubscribe(self, stream: EventStream) -> None:
        with self._lock:
            self._streams.discard(stream)

    def _poll(self) -> None:
        warned = False
        while streams := self._streams_to_poll():
            try:
                heads = read_heads(self.pool, {stream.session_id for stream in streams})
                news = {session_id: _news(head) for session_id, head in heads.items()}
                warned = False
            except psycopg.Error as error:
                if not warned:
                    log.warning("Live changes wait for the database: %s", str(error).strip())
                warned, news = True, {}
            except Exception:
                log.exception("The change feed could not read the sessions' heads")
                news = {}
            for stream in streams:
                if stream.session_id in news:
                    stream.publish(*news[stream.session_id])
            self._subscribed.wait(POLL_SECONDS)  # a new stream is served without waiting
            self._subscribed.clear()

    def _streams_to_poll(self) -> list[EventStream]:
        """Return the streams; without any the thread ends, and the next subscriber starts one."""
        with self._lock:
            if self._streams and not self._closed.is_set():
                return list(self._streams)
            self._is_polling = False
            return []


def _news(head: StreamHead) -> tuple[int, bytes, str]:
    """Return what `EventStream.publish` takes."""
    return head.version, msgspec.json.encode(presence_view(head.presences)), head.metadata_stamp


@blueprint.get("/<session>/stream")
@requires("viewer")
def stream_changes() -> Response:
    """Send server-sent events: each new version of the session, and who is entering a deal."""
    response = Response(content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy must not wait for more of it
    if request.method == "HEAD":
        return response
    last_id = request.headers.get("Last-Event-ID", "")
    last_version = int(last_id) if re.fullmatch(r"[1-9][0-9]{0,8}", last_id) else None
    feed: ChangeFeed = current_app.extensions["change_feed"]
    event_stream = feed.subscribe(g.session_id, last_version)
    request.environ[STREAM_KEY] = event_stream  # for a server that can send many without a thread
    response.response = event_stream
    response.implicit_sequence_conversion = False  # not even to measure its length
    return response
