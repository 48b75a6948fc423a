"""Who is writing a deal down just now: told to whoever may look, for as long as it is so, and never
part of what was played."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import streams
from ledger import heads, recording
from tests.api.conftest import Table
from tests.api.test_phones import let_in
from tests.conftest import Urls, app_over, copied

AGO = """
UPDATE vola.recording SET heard = heard - make_interval(secs => %s) WHERE session_id = %s
"""
LOCKED = "SELECT version FROM vola.heads WHERE session_id = %s FOR UPDATE"
ROWS = "SELECT by, page FROM vola.recording WHERE session_id = %s ORDER BY by, page"
KEPT = """
SELECT DISTINCT relpersistence FROM pg_class WHERE relkind = 'r' AND 'vola.recording'::regclass IN (
    oid, (SELECT inhparent FROM pg_inherits WHERE inhrelid = pg_class.oid))
"""
PAGE = "Qm3xk9"
"""What a page calls itself."""
AT_ONCE = 5
"""Seconds: half as long as anybody waits for an evening's lock."""


@pytest.fixture(scope="module")
def urls(cluster: Any) -> Urls:
    return copied(cluster, "vola_recording")


@pytest.fixture(scope="module")
def app(urls: Urls) -> Iterator[Flask]:
    with app_over(urls) as made:
        yield made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client(use_cookies=False)


@pytest.fixture
def later(urls: Urls, table: Table) -> Callable[[float], None]:
    """So many seconds go by for those who write in this evening."""

    def go_by(seconds: float) -> None:
        with psycopg.connect(urls.owner) as db:
            db.execute(AGO, [seconds, table.id])

    return go_by


def say(table: Table, role: str = "scorer", deal: Any = 1, page: str = PAGE) -> Any:
    """As a phone does: without a key, without a version."""
    right = {"Authorization": f"Bearer {table.tokens[role]}"}
    return table.client.put(f"{table.here}/recording/{page}", json={"deal": deal}, headers=right)


def stop(table: Table, role: str = "scorer", page: str = PAGE) -> Any:
    right = {"Authorization": f"Bearer {table.tokens[role]}"}
    return table.client.delete(f"{table.here}/recording/{page}", headers=right)


def seen(table: Table, role: str = "viewer") -> list[Any]:
    told = table.get("/recording", role=role)
    assert told.status_code == 200, told.text
    assert list(told.json) == ["recording"]
    return list(told.json["recording"])


def test_who_writes_is_told_to_everybody_who_may_look(table: Table) -> None:
    let_in(table, "Bos telefon", role="scorer")
    assert seen(table) == []
    said = say(table, "Bos telefon", deal=4)
    assert (said.status_code, said.data) == (204, b"")
    (one,) = seen(table)
    since = one.pop("since")
    assert one == {"by": "phone1", "label": "Bos telefon", "deal": 4, "page": PAGE}
    assert len(since) == len("2026-11-22T19:30:00.000000Z")
    assert seen(table, "host") == seen(table, "scorer") == [{**one, "since": since}]


def test_a_link_has_no_label_and_the_longest_at_it_is_told_first(table: Table) -> None:
    for role in ("scorer", "host"):
        say(table, role, deal=2)
    assert [(one["by"], one["label"]) for one in seen(table)] == [
        ("scorer.0", None),
        ("host.0", None),
    ]


def test_said_again_it_is_the_same_and_of_another_deal_it_begins_anew(table: Table) -> None:
    say(table, deal=1)
    first = seen(table)
    say(table, deal=1)
    assert seen(table) == first
    say(table, deal=2)
    (now,) = seen(table)
    assert now["deal"] == 2
    assert now["since"] > first[0]["since"]


def test_several_who_came_by_one_link_are_told_apart(table: Table) -> None:
    for page in ("one", "two"):
        say(table, page=page)
    assert [one["page"] for one in seen(table)] == ["one", "two"]
    stop(table, page="one")
    assert [one["page"] for one in seen(table)] == ["two"]
    stop(table)  # is another one, who never began
    assert [one["page"] for one in seen(table)] == ["two"]


def test_whoever_has_stopped_is_gone_and_may_say_so_twice(table: Table) -> None:
    say(table)
    assert [stop(table).status_code for _ in range(2)] == [204, 204]
    assert seen(table) == []


def test_nobody_stops_another(table: Table) -> None:
    say(table, "scorer", page="mine")
    stop(table, "host", "mine")
    assert len(seen(table)) == 1


def test_who_falls_silent_is_gone_half_a_minute_later(
    table: Table, later: Callable[[float], None]
) -> None:
    say(table)
    later(recording.SILENT_SECONDS - 10)
    assert len(seen(table)) == 1
    later(10)
    assert seen(table) == []


def test_who_comes_back_to_life_has_begun_just_now(
    table: Table, later: Callable[[float], None]
) -> None:
    say(table)
    (before,) = seen(table)
    later(recording.SILENT_SECONDS)
    say(table)
    (after,) = seen(table)
    assert after["since"] > before["since"]


def test_the_dead_are_put_away_by_whoever_speaks_next(
    table: Table, urls: Urls, later: Callable[[float], None]
) -> None:
    for page in ("one", "two"):
        say(table, page=page)
    later(recording.SILENT_SECONDS)
    say(table, "host")
    with psycopg.connect(urls.owner) as db:
        assert db.execute(ROWS, [table.id]).fetchall() == [("host.0", PAGE)]


def test_no_list_grows_long(table: Table, later: Callable[[float], None]) -> None:
    for number in range(recording.MOST + 3):
        assert say(table, page=str(number)).status_code == 204
    pages = [one["page"] for one in seen(table)]
    assert pages == [str(number) for number in range(recording.MOST)]
    assert say(table, page="3", deal=9).status_code == 204  # who is in it goes on
    assert {one["deal"] for one in seen(table) if one["page"] == "3"} == {9}
    later(recording.SILENT_SECONDS)
    say(table, page="late")
    assert [one["page"] for one in seen(table)] == ["late"]


def test_a_phone_that_is_shut_out_writes_nothing_any_more(table: Table) -> None:
    let_in(table, "one", role="scorer")
    say(table, "one")
    assert len(seen(table)) == 1
    table.write("/phones/phone1", method="DELETE")
    assert seen(table) == []
    assert say(table, "one").status_code == 404


def test_nor_does_whoever_came_by_a_link_that_has_ended(table: Table) -> None:
    say(table)
    table.write("/links/scorer", method="DELETE")
    assert seen(table) == []
    assert say(table).status_code == 404


def test_a_name_that_is_forgotten_is_in_no_label_here(table: Table) -> None:
    let_in(table, "Ada telefon", role="scorer")
    say(table, "Ada telefon")
    assert table.write("/players/p1/name", method="DELETE").status_code == 200
    (one,) = seen(table)
    assert one["label"] == "Spelare 1 telefon"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"deal": 0}', 422, "wrong_shape"),
        ('{"deal": -1}', 422, "wrong_shape"),
        ('{"deal": 1.0}', 422, "wrong_shape"),
        ('{"deal": "1"}', 422, "wrong_shape"),
        ('{"deal": true}', 422, "wrong_shape"),
        ('{"deal": 2147483648}', 422, "wrong_shape"),
        ("{}", 422, "wrong_shape"),
        ("[]", 422, "wrong_shape"),
        ('{"deal": 1, "taps": []}', 422, "wrong_shape"),
        ('{"deal": 1, "page": "Qm3xk9"}', 422, "wrong_shape"),
        ('{"deal": 1, "deal": 1}', 400, "malformed_json"),
        ('{"deal": NaN}', 400, "malformed_json"),
        ("", 400, "malformed_json"),
        ('{"deal": 1, "page": "%s"}' % ("x" * 200_000), 413, "too_large"),
    ],
)
def test_what_is_not_meant_is_refused(table: Table, body: str, status: int, code: str) -> None:
    right = {"Authorization": f"Bearer {table.tokens['scorer']}"}
    kind = {"Content-Type": "application/json"}
    refused = table.client.put(
        f"{table.here}/recording/{PAGE}", data=body, headers={**right, **kind}
    )
    assert (refused.status_code, refused.json["code"]) == (status, code)
    assert seen(table) == []


def test_what_is_malformed_is_told_before_who_one_is(table: Table) -> None:
    plain = {"Content-Type": "text/plain"}
    said = table.client.put(f"{table.here}/recording/{PAGE}", data="deal=1", headers=plain)
    assert (said.status_code, said.json["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("page", ["<b>", "x" * 23, "%00", "å"])
def test_a_page_that_could_be_none_is_refused(table: Table, page: str) -> None:
    for refused in (say(table, page=page), stop(table, page=page)):
        assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
        assert refused.json["errors"][0]["pointer"] == "{page}"
    assert seen(table) == []


def test_a_viewer_looks_on_and_says_nothing(table: Table) -> None:
    for refused in (say(table, "viewer"), stop(table, "viewer")):
        assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert seen(table) == []


def test_nothing_of_it_is_history(table: Table) -> None:
    before = table.get().headers["ETag"]
    exported = table.get("/export").data
    say(table)
    assert table.get().headers["ETag"] == before
    assert table.get(**{"If-None-Match": before}).status_code == 304
    assert table.get("/export").data == exported
    assert len(table.get("/events").json["events"]) == 1
    assert table.act({"type": "open_deal"}, match=before).status_code == 201


def test_it_is_kept_where_a_crash_forgets_it_and_no_disk_is_waited_for(urls: Urls) -> None:
    with psycopg.connect(urls.owner) as db:
        assert db.execute(KEPT).fetchall() == [("u",)]


def test_an_evening_that_is_being_written_is_not_waited_for(table: Table, urls: Urls) -> None:
    """Nor does it wait: what is said here holds no lock of the evening's."""
    with psycopg.connect(urls.app) as db:
        db.execute(LOCKED, [table.id])
        began = time.monotonic()
        assert say(table).status_code == 204
        assert len(seen(table)) == 1
        assert stop(table).status_code == 204
        assert time.monotonic() - began < AT_ONCE


def test_many_at_once_wait_for_nobody_for_long(
    table: Table, later: Callable[[float], None]
) -> None:
    """Also while they put each other's dead away."""
    began = time.monotonic()
    for _ in range(5):
        for page in range(8):
            say(table, page=str(page))
        later(recording.SILENT_SECONDS)
        with ThreadPoolExecutor(8) as several:
            said = several.map(lambda page: say(table, page=str(page)).status_code, range(8))
            assert set(said) == {204}
        assert len(seen(table)) == 8
    assert time.monotonic() - began < AT_ONCE * 2


def test_all_of_it_is_found_by_indexes(urls: Urls, table: Table) -> None:
    ask = {"session_ids": [UUID(table.id)], "silent": 30, "most": 16}
    with psycopg.connect(urls.app) as db:
        db.execute("SET enable_seqscan = off")
        plan = "\n".join(row for (row,) in db.execute("EXPLAIN " + heads.LOOK, ask))
    assert "Seq Scan" not in plan, plan


# what a stream tells


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute is two seconds."""
    monkeypatch.setattr(streams, "LISTEN_SECONDS", 2)


def pieces(table: Table, role: str = "viewer", **headers: str) -> Iterator[dict[str, str]]:
    """The stream's events."""
    text = ""
    for piece in table.get("/stream", role=role, **headers).response:
        assert isinstance(piece, bytes)
        text += piece.decode()
        *whole, text = text.split("\n\n")
        for event in whole:
            found = dict(line.split(": ", 1) for line in event.split("\n"))
            if "event" in found:
                yield found


def writing(event: dict[str, str]) -> list[tuple[str, int]]:
    assert (event["event"], "id" in event) == ("recording", False)
    return [(one["by"], one["deal"]) for one in json.loads(event["data"])["recording"]]


def test_a_stream_tells_who_begins_and_who_stops(table: Table, minute: None) -> None:
    told = pieces(table)
    assert next(told)["event"] == "version"
    say(table, deal=1)
    assert writing(next(told)) == [("scorer.0", 1)]
    say(table, deal=1)  # as before: nothing to tell
    say(table, "host", deal=1)
    assert writing(next(told)) == [("scorer.0", 1), ("host.0", 1)]
    for role in ("scorer", "host"):
        stop(table, role)
    assert writing(list(told)[-1]) == []


def test_a_stream_says_the_same_as_who_asks(table: Table, minute: None) -> None:
    let_in(table, "Bos telefon", role="scorer")
    say(table, "Bos telefon", deal=3, page="Qm3xk9")
    event = next(event for event in pieces(table) if event["event"] == "recording")
    assert json.loads(event["data"])["recording"] == seen(table)


def test_who_begins_to_listen_is_told_at_once_and_only_if_there_is_somebody(
    table: Table, minute: None
) -> None:
    assert [event["event"] for event in pieces(table)] == ["version"]
    say(table)
    first, second = [next(events) for events in [pieces(table)] for _ in range(2)]
    assert first["event"] == "version"
    assert writing(second) == [("scorer.0", 1)]


def test_who_comes_again_is_told_also_that_it_is_nobody(table: Table, minute: None) -> None:
    """What he was told before, the one who wrote may have stopped meanwhile."""
    known = {"Last-Event-ID": str(table.version)}
    assert [writing(event) for event in pieces(table, **known)] == [[]]


def test_who_falls_silent_is_told_of_too(
    table: Table, minute: None, later: Callable[[float], None]
) -> None:
    say(table)
    told = pieces(table)
    assert [next(told)["event"], len(writing(next(told)))] == ["version", 1]
    later(recording.SILENT_SECONDS)
    assert writing(next(told)) == []


def test_one_evening_hears_nothing_of_another(
    table: Table, open_table: Callable[[], Table], minute: None
) -> None:
    other = open_table()
    say(other)
    assert seen(table) == []
    assert [event["event"] for event in pieces(table)] == ["version"]
    found = heads.look(table.client.application.extensions["store"].pool, map(UUID, (table.id,)))
    assert [len(head.recording) for head in found.values()] == [0]


def test_it_is_looked_for_by_the_one_who_looks_for_versions(
    table: Table, minute: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = set[str]()
    execute = psycopg.Connection.execute

    def told(self: Any, query: Any, *given: Any, **more: Any) -> Any:
        if threading.current_thread().name == "watch":
            asked.add(str(query))
        return execute(self, query, *given, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", told)
    say(table)
    list(pieces(table))
    assert {query for query in asked if query.strip()} == {heads.LOOK}
