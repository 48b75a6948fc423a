"""Who looks at an evening hears of each change, and only who may, and never for long."""

from __future__ import annotations

import json
import threading
import time
from uuid import uuid4

import psycopg
import pytest

from api import live, streams
from ledger import heads
from tests.api.test_phones import let_in


@pytest.fixture
def minute(monkeypatch):
    """A minute is a second."""
    monkeypatch.setattr(streams, "LISTEN_SECONDS", 1)


@pytest.fixture
def statements(monkeypatch):
    """What the app asks of the database."""
    asked = list[str]()
    execute = psycopg.Connection.execute

    def told(self, query, *given, **more):
        if threading.current_thread() is threading.main_thread():  # and not those who watch
            asked.append(str(query))
        return execute(self, query, *given, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", told)
    return asked


def heard(text: str) -> list[int]:
    """The versions of a stream's events; each says the same as its id."""
    events = [event.split("\n") for event in text.split("\n\n") if "event: version" in event]
    told = [dict(line.split(": ", 1) for line in event) for event in events]
    assert all(json.loads(one["data"]) == {"version": int(one["id"])} for one in told)
    return [int(one["id"]) for one in told]


def first(pieces) -> str:
    """Up to the first event."""
    text = ""
    while "event:" not in text:
        text += next(pieces).decode()
    return text


def test_who_listens_is_told_the_newest_version_and_then_each_change(table, minute):
    answer = table.get("/stream", role="viewer")
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    pieces = iter(answer.response)
    assert heard(first(pieces)) == [1]
    written = table.act({"type": "open_deal"}).headers["ETag"]
    assert heard(first(pieces)) == [int(written.strip('"'))]


BESIDE = {
    "a name that was erased": ("/players/p2/name", "DELETE"),
    "a phone that was shut out": ("/phones/phone1", "DELETE"),
    "a link that was ended": ("/links/viewer", "DELETE"),
}


@pytest.mark.parametrize("what", BESIDE)
def test_what_has_no_version_is_told_as_the_same_one_again(table, what):
    let_in(table, "Bos telefon", role="scorer")
    path, method = BESIDE[what]
    pieces = iter(table.get("/stream", role="scorer").response)
    assert heard(first(pieces)) == [1]
    assert table.write(path, method=method).status_code == 200
    began = time.monotonic()
    assert heard(first(pieces)) == [1]
    assert time.monotonic() - began < 5  # and not when it is asked for all the same


def test_it_says_how_soon_to_come_again_and_ends_by_itself(table, minute):
    began = time.monotonic()
    text = table.get("/stream").text
    assert text.startswith("retry: ")
    assert 0.5 < time.monotonic() - began < 10


def test_who_comes_again_is_told_only_what_is_new(table, minute):
    known = {"Last-Event-ID": str(table.version)}
    assert heard(table.get("/stream", **known).text) == []
    table.act({"type": "open_deal"})
    assert heard(table.get("/stream", **known).text) == [table.version]


@pytest.mark.parametrize("nonsense", ["0", "-1", "1e3", "x" * 500, "99999999999999"])
def test_a_last_event_that_is_none_is_as_if_there_were_none(table, minute, nonsense):
    assert heard(table.get("/stream", **{"Last-Event-ID": nonsense}).text) == [1]


def test_silence_is_broken_now_and_then(table, minute, monkeypatch):
    monkeypatch.setattr(streams, "BEAT_SECONDS", 0.2)
    assert ": still here\n\n" in table.get("/stream").text


@pytest.mark.parametrize("token", ["", "viewer0.nonsense"])
def test_whoever_may_not_look_may_not_listen(table, client, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    refused = client.get(f"{table.here}/stream", headers=headers)
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_session")


def test_one_evening_cannot_take_all_streams_and_a_place_left_is_free_again(table, open_table):
    listening = [table.get("/stream") for _ in range(live.OF_ONE_EVENING)]
    refused = table.get("/stream")
    assert (refused.status_code, refused.json["code"]) == (503, "too_many_streams")
    assert int(refused.headers["Retry-After"]) > 0
    other = open_table().get("/stream")
    assert other.status_code == 200
    for answer in (*listening, other):
        answer.close()
    again = table.get("/stream")
    assert again.status_code == 200
    again.close()


def test_there_are_only_so_many_streams(app, monkeypatch):
    monkeypatch.setattr(live, "STREAMS", 3)
    watch = live.Watch(app.extensions["store"].pool)
    streams = [watch.listen(uuid4()) for _ in range(3)]
    with pytest.raises(live.TooManyStreams):
        watch.listen(uuid4())
    streams[0].close()
    watch.listen(uuid4())
    watch.close()


def test_a_stream_that_nobody_closed_does_not_count_for_ever(app, monkeypatch):
    monkeypatch.setattr(live, "STREAMS", 1)
    monkeypatch.setattr(live, "FORGET_SECONDS", 0)
    watch = live.Watch(app.extensions["store"].pool)
    watch.listen(uuid4()).stop()
    watch.listen(uuid4())
    watch.close()


def test_a_look_alone_takes_no_stream(table, client, app):
    before = app.extensions["live"].count
    for _ in range(3):
        right = {"Authorization": f"Bearer {table.tokens['viewer']}"}
        assert client.head(f"{table.here}/stream", headers=right).status_code == 200
    assert app.extensions["live"].count == before


def test_all_that_are_watched_are_looked_for_in_one_statement(app, open_table, statements):
    watch = app.extensions["live"]
    ids = [open_table().id for _ in range(5)]
    statements.clear()
    found = heads.look(watch.pool, ids)
    assert {str(k): (v.version, v.recording) for k, v in found.items()} == dict.fromkeys(
        ids, (1, ())
    )
    assert len({v.beside for v in found.values()}) == 1
    assert [asked for asked in statements if asked] == [heads.LOOK]


def test_nobody_asks_the_database_while_nobody_listens(app, table):
    watch = live.Watch(app.extensions["store"].pool)
    before = set(threading.enumerate())
    stream = watch.listen(uuid4())
    (looker,) = {thread for thread in threading.enumerate() if thread.name == "watch"} - before
    stream.close()
    looker.join(5)
    assert not looker.is_alive()


def test_who_stops_ends_all_streams_and_begins_none(app, table):
    watch = live.Watch(app.extensions["store"].pool)
    stream = watch.listen(uuid4())
    watch.close()
    assert stream.over
    assert watch.listen(uuid4()).over


def test_that_there_is_nothing_new_is_said_without_telling_the_evening_again(table, statements):
    tag = table.get().headers["ETag"]
    statements.clear()
    unchanged = table.get(**{"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.headers["ETag"]) == (304, tag)
    assert not [asked for asked in statements if "vola.events" in asked]
    assert len([asked for asked in statements if asked.strip()]) <= 2, statements
    table.act({"type": "open_deal"})
    assert table.get(**{"If-None-Match": tag}).status_code == 200
