"""Presence: who is recording a deal now is shown to everyone with access while it lasts, and is
never part of the history."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.representations import event_stream as streams
from ledger.access import presence as recording
from ledger.access import stream_heads as heads
from tests.support.api.session_client import SessionClient, add_device
from tests.support.databases import DatabaseUrls

MOVE_BACK = """
UPDATE vola.presence SET last_seen_at = last_seen_at - make_interval(secs => %s)
 WHERE session_id = %s
"""
LOCK_SESSION = "SELECT version FROM vola.heads WHERE session_id = %s FOR UPDATE"
PRESENCE_ROWS = "SELECT by, page FROM vola.presence WHERE session_id = %s ORDER BY by, page"
PERSISTENCE = """
SELECT DISTINCT relpersistence FROM pg_class WHERE relkind = 'r' AND 'vola.presence'::regclass IN (
    oid, (SELECT inhparent FROM pg_inherits WHERE inhrelid = pg_class.oid))
"""
PAGE_ID = "Qm3xk9"
"""The id that a page gives itself."""


expired = pytest.mark.parametrize(
    "seconds", [recording.SILENT_SECONDS, -3600], ids=["silent", "a clock that was ahead"]
)


@pytest.fixture(scope="module")
def app(module_app: Flask) -> Flask:
    return module_app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client(use_cookies=False)


@pytest.fixture
def pass_seconds(module_urls: DatabaseUrls, session: SessionClient) -> Callable[[float], None]:
    """Return a function that makes the presences of this session `seconds` older."""

    def move_back(seconds: float) -> None:
        with psycopg.connect(module_urls.owner) as db:
            db.execute(MOVE_BACK, [seconds, session.id])

    return move_back


def announce(
    session: SessionClient, role: str = "scorer", deal: Any = 1, page: str = PAGE_ID
) -> Any:
    """Announce presence as a device does: without a key and without a version."""
    credentials = {"Authorization": f"Bearer {session.tokens[role]}"}
    return session.client.put(
        f"{session.path}/presence/{page}", json={"deal": deal}, headers=credentials
    )


def withdraw(session: SessionClient, role: str = "scorer", page: str = PAGE_ID) -> Any:
    credentials = {"Authorization": f"Bearer {session.tokens[role]}"}
    return session.client.delete(f"{session.path}/presence/{page}", headers=credentials)


def list_presences(session: SessionClient, role: str = "viewer") -> list[Any]:
    answer = session.get("/presence", role=role)
    assert answer.status_code == 200, answer.text
    assert list(answer.json) == ["presence"]
    return list(answer.json["presence"])


def test_a_presence_is_shown_to_every_role(session: SessionClient) -> None:
    add_device(session, "Bos telefon", role="scorer")
    assert list_presences(session) == []
    answer = announce(session, "Bos telefon", deal=4)
    assert (answer.status_code, answer.data) == (204, b"")
    (presence,) = list_presences(session)
    since = presence.pop("started_at")
    assert presence == {"by": "phone1", "label": "Bos telefon", "deal": 4, "page": PAGE_ID}
    assert len(since) == len("2026-11-22T19:30:00.000000Z")
    assert (
        list_presences(session, "host")
        == list_presences(session, "scorer")
        == [{**presence, "started_at": since}]
    )


def test_a_link_has_no_label_and_the_longest_presence_comes_first(session: SessionClient) -> None:
    for role in ("scorer", "host"):
        announce(session, role, deal=2)
    assert [(presence["by"], presence["label"]) for presence in list_presences(session)] == [
        ("scorer.0", None),
        ("host.0", None),
    ]


def test_repeating_a_presence_keeps_it_and_another_deal_restarts_it(
    session: SessionClient,
) -> None:
    announce(session, deal=1)
    first = list_presences(session)
    announce(session, deal=1)
    assert list_presences(session) == first
    announce(session, deal=2)
    (current,) = list_presences(session)
    assert current["deal"] == 2
    assert current["started_at"] > first[0]["started_at"]


def test_several_pages_of_one_link_are_distinguished(session: SessionClient) -> None:
    for page in ("one", "two"):
        announce(session, page=page)
    assert [presence["page"] for presence in list_presences(session)] == ["one", "two"]
    withdraw(session, page="one")
    assert [presence["page"] for presence in list_presences(session)] == ["two"]
    withdraw(session)  # another page, which never announced itself
    assert [presence["page"] for presence in list_presences(session)] == ["two"]


def test_a_presence_can_be_withdrawn_twice(session: SessionClient) -> None:
    announce(session)
    assert [withdraw(session).status_code for _ in range(2)] == [204, 204]
    assert list_presences(session) == []


def test_a_presence_is_withdrawn_by_its_own_token_only(session: SessionClient) -> None:
    announce(session, "scorer", page="mine")
    withdraw(session, "host", "mine")
    assert len(list_presences(session)) == 1


def test_a_silent_presence_expires_after_half_a_minute(
    session: SessionClient, pass_seconds: Callable[[float], None]
) -> None:
    announce(session)
    pass_seconds(recording.SILENT_SECONDS - 10)
    assert len(list_presences(session)) == 1
    pass_seconds(10)
    assert list_presences(session) == []


@expired
def test_an_expired_presence_that_returns_starts_anew(
    session: SessionClient, pass_seconds: Callable[[float], None], seconds: float
) -> None:
    announce(session)
    (before,) = list_presences(session)
    pass_seconds(seconds)
    announce(session)
    (after,) = list_presences(session)
    assert after["started_at"] > before["started_at"]


def test_a_presence_from_the_future_has_expired(
    session: SessionClient, pass_seconds: Callable[[float], None]
) -> None:
    """The clock was ahead when it was announced, and is right again."""
    announce(session)
    pass_seconds(-3600)
    assert list_presences(session) == []
    announce(session, "host")
    assert [presence["by"] for presence in list_presences(session)] == ["host.0"]


@expired
def test_expired_presences_are_deleted_by_the_next_announcement(
    session: SessionClient,
    module_urls: DatabaseUrls,
    pass_seconds: Callable[[float], None],
    seconds: float,
) -> None:
    for page in ("one", "two"):
        announce(session, page=page)
    pass_seconds(seconds)
    announce(session, "host")
    with psycopg.connect(module_urls.owner) as db:
        assert db.execute(PRESENCE_ROWS, [session.id]).fetchall() == [("host.0", PAGE_ID)]


@expired
def test_the_number_of_presences_is_limited(
    session: SessionClient, pass_seconds: Callable[[float], None], seconds: float
) -> None:
    for number in range(recording.MAX_PRESENT + 3):
        assert announce(session, page=str(number)).status_code == 204
    pages = [presence["page"] for presence in list_presences(session)]
    assert pages == [str(number) for number in range(recording.MAX_PRESENT)]
    assert (
        announce(session, page="3", deal=9).status_code == 204
    )  # a listed page can change its deal
    assert {
        presence["deal"] for presence in list_presences(session) if presence["page"] == "3"
    } == {9}
    pass_seconds(seconds)
    announce(session, page="late")
    assert [presence["page"] for presence in list_presences(session)] == ["late"]


def test_a_revoked_device_loses_its_presence(session: SessionClient) -> None:
    add_device(session, "one", role="scorer")
    announce(session, "one")
    assert len(list_presences(session)) == 1
    session.write("/devices/phone1", method="DELETE")
    assert list_presences(session) == []
    assert announce(session, "one").status_code == 404


def test_a_rotated_link_loses_its_presence(session: SessionClient) -> None:
    announce(session)
    session.write("/links/scorer/rotation", {})
    assert list_presences(session) == []
    assert announce(session).status_code == 404


def test_an_erased_name_disappears_from_presence_labels(session: SessionClient) -> None:
    add_device(session, "Ada telefon", role="scorer")
    announce(session, "Ada telefon")
    assert session.write("/players/p1/name", method="DELETE").status_code == 200
    (presence,) = list_presences(session)
    assert presence["label"] == "Spelare 1 telefon"


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
def test_an_invalid_announcement_is_refused(
    session: SessionClient, body: str, status: int, code: str
) -> None:
    credentials = {"Authorization": f"Bearer {session.tokens['scorer']}"}
    kind = {"Content-Type": "application/json"}
    refused = session.client.put(
        f"{session.path}/presence/{PAGE_ID}", data=body, headers={**credentials, **kind}
    )
    assert (refused.status_code, refused.json["code"]) == (status, code)
    assert list_presences(session) == []


def test_a_wrong_media_type_is_refused_before_the_token_is_checked(session: SessionClient) -> None:
    plain = {"Content-Type": "text/plain"}
    refused = session.client.put(f"{session.path}/presence/{PAGE_ID}", data="deal=1", headers=plain)
    assert (refused.status_code, refused.json["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("page", ["<b>", "x" * 23, "%00", "å"])
def test_an_invalid_page_id_is_refused(session: SessionClient, page: str) -> None:
    for refused in (announce(session, page=page), withdraw(session, page=page)):
        assert (refused.status_code, refused.json["code"]) == (422, "wrong_shape")
        assert refused.json["errors"][0]["pointer"] == "{page}"
    assert list_presences(session) == []


def test_a_viewer_reads_presences_and_announces_none(session: SessionClient) -> None:
    for refused in (announce(session, "viewer"), withdraw(session, "viewer")):
        assert (refused.status_code, refused.json["code"]) == (403, "role_too_low")
    assert list_presences(session) == []


def test_presence_is_not_part_of_the_history(session: SessionClient) -> None:
    before = session.get().headers["ETag"]
    exported = session.get("/export").data
    announce(session)
    assert session.get().headers["ETag"] == before
    assert session.get(**{"If-None-Match": before}).status_code == 304
    assert session.get("/export").data == exported
    assert len(session.get("/events").json["events"]) == 1
    assert session.act({"type": "open_deal"}, match=before).status_code == 201


def test_presence_is_stored_in_an_unlogged_table(module_urls: DatabaseUrls) -> None:
    with psycopg.connect(module_urls.owner) as db:
        assert db.execute(PERSISTENCE).fetchall() == [("u",)]


def test_presence_does_not_wait_for_the_lock_of_the_session(
    session: SessionClient, module_urls: DatabaseUrls
) -> None:
    """A call that waited would fail: the lock outlasts the lock timeout of the pool."""
    with psycopg.connect(module_urls.app) as db:
        db.execute(LOCK_SESSION, [session.id])
        assert announce(session).status_code == 204
        assert len(list_presences(session)) == 1
        assert withdraw(session).status_code == 204


def test_many_simultaneous_announcements_all_succeed(
    session: SessionClient, pass_seconds: Callable[[float], None]
) -> None:
    """Even while they delete expired presences together; a deadlock or a long wait would fail."""
    for _ in range(5):
        for page in range(8):
            announce(session, page=str(page))
        pass_seconds(recording.SILENT_SECONDS)
        with ThreadPoolExecutor(8) as threads:
            statuses = threads.map(
                lambda page: announce(session, page=str(page)).status_code, range(8)
            )
            assert set(statuses) == {204}
        assert len(list_presences(session)) == 8


def test_presences_are_found_by_indexes(module_urls: DatabaseUrls, session: SessionClient) -> None:
    parameters = {"session_ids": [UUID(session.id)], "silent": 30, "most": 16}
    with psycopg.connect(module_urls.app) as db:
        db.execute("SET enable_seqscan = off")
        plan = "\n".join(row for (row,) in db.execute("EXPLAIN " + heads.STREAM_HEADS, parameters))
    assert "Seq Scan" not in plan, plan


# The stream


@pytest.fixture
def short_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams end after two seconds instead of a minute."""
    monkeypatch.setattr(streams, "STREAM_SECONDS", 2)


def stream_events(
    session: SessionClient, role: str = "viewer", **headers: str
) -> Iterator[dict[str, str]]:
    """Yield the events of the stream."""
    text = ""
    for piece in session.get("/stream", role=role, **headers).response:
        assert isinstance(piece, bytes)
        text += piece.decode()
        *complete, text = text.split("\n\n")
        for event in complete:
            fields = dict(line.split(": ", 1) for line in event.split("\n"))
            if "event" in fields:
                yield fields


def presences_in(event: dict[str, str]) -> list[tuple[str, int]]:
    assert (event["event"], "id" in event) == ("presence", False)
    return [
        (presence["by"], presence["deal"]) for presence in json.loads(event["data"])["presence"]
    ]


def test_a_stream_reports_presences_that_begin_and_end(
    session: SessionClient, short_stream: None
) -> None:
    events = stream_events(session)
    assert next(events)["event"] == "version"
    announce(session, deal=1)
    assert presences_in(next(events)) == [("scorer.0", 1)]
    announce(session, deal=1)  # unchanged, so not reported
    announce(session, "host", deal=1)
    assert presences_in(next(events)) == [("scorer.0", 1), ("host.0", 1)]
    for role in ("scorer", "host"):
        withdraw(session, role)
    assert presences_in(list(events)[-1]) == []


def test_a_stream_reports_the_same_presences_as_a_request(
    session: SessionClient, short_stream: None
) -> None:
    add_device(session, "Bos telefon", role="scorer")
    announce(session, "Bos telefon", deal=3, page="Qm3xk9")
    event = next(event for event in stream_events(session) if event["event"] == "presence")
    assert json.loads(event["data"])["presence"] == list_presences(session)


def test_a_new_stream_starts_with_presences_if_there_are_any(
    session: SessionClient, short_stream: None
) -> None:
    assert [event["event"] for event in stream_events(session)] == ["version"]
    announce(session)
    first, second = [next(events) for events in [stream_events(session)] for _ in range(2)]
    assert first["event"] == "version"
    assert presences_in(second) == [("scorer.0", 1)]


def test_a_resumed_stream_reports_that_no_one_is_present(
    session: SessionClient, short_stream: None
) -> None:
    """A presence that was reported before may have ended meanwhile."""
    headers = {"Last-Event-ID": str(session.version)}
    assert [presences_in(event) for event in stream_events(session, **headers)] == [[]]


def test_a_stream_reports_an_expired_presence(
    session: SessionClient, short_stream: None, pass_seconds: Callable[[float], None]
) -> None:
    announce(session)
    events = stream_events(session)
    assert [next(events)["event"], len(presences_in(next(events)))] == ["version", 1]
    pass_seconds(recording.SILENT_SECONDS)
    assert presences_in(next(events)) == []


def test_a_session_has_no_presences_of_another(
    session: SessionClient, open_session: Callable[[], SessionClient], short_stream: None
) -> None:
    other_session = open_session()
    announce(other_session)
    assert list_presences(session) == []
    assert [event["event"] for event in stream_events(session)] == ["version"]
    read = heads.read_heads(
        session.client.application.extensions["store"].pool, map(UUID, (session.id,))
    )
    assert [len(head.presences) for head in read.values()] == [0]


def test_presences_are_read_by_the_query_for_versions(
    session: SessionClient, short_stream: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: set[str] = set()
    execute = psycopg.Connection.execute

    def execute_recorded(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if threading.current_thread().name == "change feed":
            queries.add(str(query))
        return execute(self, query, *arguments, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", execute_recorded)
    announce(session)
    list(stream_events(session))
    assert {query for query in queries if query.strip()} == {heads.STREAM_HEADS}
