"""A stream reports each change of a session, to those with access only, and ends by itself."""

from __future__ import annotations

import json
import threading
import time
from uuid import uuid4

import psycopg
import pytest

from api.http.problems import Problem
from api.representations import event_stream as streams
from api.resources import change_feed
from ledger.access import stream_heads as heads
from tests.support.api.session_client import add_device


@pytest.fixture
def short_stream(monkeypatch):
    """Streams end after one second instead of a minute."""
    monkeypatch.setattr(streams, "STREAM_SECONDS", 1)


@pytest.fixture
def statements(monkeypatch):
    """The statements that the app sends to the database."""
    queries: list[str] = []
    execute = psycopg.Connection.execute

    def execute_recorded(self, query, *arguments, **options):
        if (
            threading.current_thread() is threading.main_thread()
        ):  # and not the thread of the change feed
            queries.append(str(query))
        return execute(self, query, *arguments, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", execute_recorded)
    return queries


def event_versions(text: str) -> list[int]:
    """Return the versions of a stream's events; each has the same id."""
    events = [event.split("\n") for event in text.split("\n\n") if "event: version" in event]
    fields = [dict(line.split(": ", 1) for line in event) for event in events]
    assert all(json.loads(event["data"]) == {"version": int(event["id"])} for event in fields)
    return [int(event["id"]) for event in fields]


def read_first_event(pieces) -> str:
    """Read up to the first event."""
    text = ""
    while "event:" not in text:
        text += next(pieces).decode()
    return text


def test_a_stream_reports_the_newest_version_and_then_each_change(session, short_stream):
    answer = session.get("/stream", role="viewer")
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    pieces = iter(answer.response)
    assert event_versions(read_first_event(pieces)) == [1]
    etag = session.act({"type": "open_deal"}).headers["ETag"]
    assert event_versions(read_first_event(pieces)) == [int(etag.strip('"'))]


METADATA_WRITES = {
    "a name that was erased": ("DELETE", "/players/p2/name", None),
    "a name that was corrected": ("PUT", "/players/p2/name", {"name": "Bosse"}),
    "a phone that was shut out": ("DELETE", "/devices/phone1", None),
    "a link that was ended": ("POST", "/links/viewer/rotation", {}),
}


@pytest.mark.parametrize("case", METADATA_WRITES)
def test_a_metadata_change_is_reported_as_the_same_version(session, case):
    add_device(session, "Bos telefon", role="scorer")
    method, path, body = METADATA_WRITES[case]
    pieces = iter(session.get("/stream", role="scorer").response)
    assert event_versions(read_first_event(pieces)) == [1]
    assert session.write(path, body, method=method).status_code < 300
    # without a report the stream would end, and the read would fail
    assert event_versions(read_first_event(pieces)) == [1]


def test_a_stream_sets_the_retry_time_and_ends_by_itself(session, short_stream):
    started = time.monotonic()
    text = session.get("/stream").text
    assert text.startswith("retry: ")
    assert time.monotonic() - started > 0.5


def test_a_resumed_stream_reports_only_what_is_new(session, short_stream):
    headers = {"Last-Event-ID": str(session.version)}
    assert event_versions(session.get("/stream", **headers).text) == []
    session.act({"type": "open_deal"})
    assert event_versions(session.get("/stream", **headers).text) == [session.version]


@pytest.mark.parametrize("nonsense", ["0", "-1", "1e3", "x" * 500, "99999999999999"])
def test_an_invalid_last_event_id_is_ignored(session, short_stream, nonsense):
    pieces = iter(session.get("/stream", **{"Last-Event-ID": nonsense}).response)
    assert event_versions(read_first_event(pieces)) == [1]


def test_an_idle_stream_sends_heartbeats(session, short_stream, monkeypatch):
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.2)
    assert ": still here\n\n" in session.get("/stream").text


@pytest.mark.parametrize("token", ["", "viewer0.nonsense"])
def test_a_stream_needs_a_valid_token(session, client, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    refused = client.get(f"{session.path}/stream", headers=headers)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_session")


def test_a_session_has_a_limited_number_of_streams(session, open_session):
    listening = [session.get("/stream") for _ in range(change_feed.MAX_STREAMS_PER_SESSION)]
    refused = session.get("/stream")
    assert (refused.status_code, refused.json["code"]) == (503, "too_many_streams")
    assert int(refused.headers["Retry-After"]) > 0
    other_stream = open_session().get("/stream")
    assert other_stream.status_code == 200
    for answer in (*listening, other_stream):
        answer.close()
    reopened = session.get("/stream")
    assert reopened.status_code == 200
    reopened.close()


def test_the_number_of_streams_is_limited(app, monkeypatch):
    monkeypatch.setattr(change_feed, "MAX_STREAMS", 3)
    watch = change_feed.ChangeFeed(app.extensions["store"].pool)
    streams = [watch.subscribe(uuid4()) for _ in range(3)]
    with pytest.raises(Problem, match="too_many_streams"):
        watch.subscribe(uuid4())
    streams[0].close()
    watch.subscribe(uuid4())
    watch.close()


def test_an_abandoned_stream_is_not_counted_for_ever(app, monkeypatch):
    monkeypatch.setattr(change_feed, "MAX_STREAMS", 1)
    monkeypatch.setattr(change_feed, "ABANDONED_SECONDS", 0)
    watch = change_feed.ChangeFeed(app.extensions["store"].pool)
    watch.subscribe(uuid4()).stop()
    watch.subscribe(uuid4())
    watch.close()


def test_a_head_request_takes_no_stream(session, client, monkeypatch):
    monkeypatch.setattr(change_feed, "MAX_STREAMS", 0)
    credentials = {"Authorization": f"Bearer {session.tokens['viewer']}"}
    assert client.head(f"{session.path}/stream", headers=credentials).status_code == 200
    assert client.get(f"{session.path}/stream", headers=credentials).status_code == 503


def test_all_watched_sessions_are_read_in_one_statement(app, open_session, statements):
    watch = app.extensions["change_feed"]
    ids = [open_session().id for _ in range(5)]
    statements.clear()
    read_heads = heads.read_heads(watch.pool, ids)
    assert {str(k): (v.version, v.presences) for k, v in read_heads.items()} == dict.fromkeys(
        ids, (1, ())
    )
    assert len({v.metadata_stamp for v in read_heads.values()}) == 1
    assert [query for query in statements if query] == [heads.STREAM_HEADS]


def test_the_database_is_not_polled_without_streams(app, session):
    watch = change_feed.ChangeFeed(app.extensions["store"].pool)
    before = set(threading.enumerate())
    stream = watch.subscribe(uuid4())
    (looker,) = {
        thread for thread in threading.enumerate() if thread.name == "change feed"
    } - before
    stream.close()
    looker.join(5)
    assert not looker.is_alive()


def test_a_closed_feed_ends_all_streams_and_opens_none(app, session):
    watch = change_feed.ChangeFeed(app.extensions["store"].pool)
    stream = watch.subscribe(uuid4())
    watch.close()
    assert stream.is_over
    assert watch.subscribe(uuid4()).is_over


def test_an_unchanged_session_is_answered_without_reading_events(session, statements):
    tag = session.get().headers["ETag"]
    statements.clear()
    unchanged = session.get(**{"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.headers["ETag"]) == (304, tag)
    assert not [query for query in statements if "vola.events" in query]
    assert len([query for query in statements if query.strip()]) <= 2, statements
    session.act({"type": "open_deal"})
    assert session.get(**{"If-None-Match": tag}).status_code == 200
