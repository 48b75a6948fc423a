"""The query and headers of a request are understood, or refused with a problem."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask, g, request
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from api.http import pagination
from api.http.conditional import read_expected_version
from api.http.idempotency import read_idempotency_key
from api.http.problems import InvalidFields, Problem
from api.http.query_parameters import read_version_or_moment
from api.http.session_request import read_session
from api.statements.statement_query import (
    FORMATS,
    FORMATS_BY_MEDIA_TYPE,
    StatementQuery,
    statement_query,
)
from ledger.events.recorded_event import UnknownSession
from tests.support.player_names import FOUR_PLAYERS
from tests.verification.fuzz.corrupted_input import (
    corrupted_documents,
    fuzz_settings,
    result_or_refusal,
    texts,
)

headers = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=80)


def read(
    app: Flask, work: Callable[[], Any], query: dict[str, str], request_headers: dict[str, str]
) -> Any:
    """Return what reading such a request gives: a value, or its refusal."""
    with app.test_request_context(
        "/v1/sessions", query_string=query, headers=Headers(list(request_headers.items()))
    ):
        g.session_id = UUID(int=1)
        value, refusal = result_or_refusal(work, Problem, InvalidFields, UnknownSession)
        return value if refusal is None else refusal


@fuzz_settings
@given(value=headers | st.from_regex(r'(W/)?"?[0-9*]{0,12}"?', fullmatch=True))
def test_an_expected_version_is_read_or_refused(app: Flask, value: str) -> None:
    result = read(app, read_expected_version, {}, {"If-Match": value})
    if isinstance(result, Problem):
        assert (result.status, result.code) == (400, "if_match_malformed")
    else:
        assert result == "any" or 1 <= result < 10**9


@fuzz_settings
@given(value=headers | st.text('" ', max_size=4) | st.text(string.ascii_letters, max_size=300))
def test_an_idempotency_key_is_read_or_refused(app: Flask, value: str) -> None:
    result = read(app, read_idempotency_key, {}, {"Idempotency-Key": value})
    if isinstance(result, Problem):
        assert result.status == 400
        assert result.code in ("idempotency_key_missing", "idempotency_key_malformed")
    else:
        assert 1 <= len(result) <= 255
        assert result.isascii()


@fuzz_settings
@given(cursor=texts | st.text(string.ascii_letters + string.digits + "-_", max_size=30))
def test_a_cursor_is_read_or_refused(app: Flask, cursor: str) -> None:
    result = read(app, lambda: pagination.read_cursor("events"), {"after": cursor}, {})
    assert isinstance(result, InvalidFields) or (cursor.isascii() and result == int(cursor))


LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"


@fuzz_settings
@given(st.integers(0, 2**31 - 1), st.integers(0, 23), st.integers(1, 63), st.uuids())
def test_a_cursor_with_one_character_changed_is_no_cursor(
    place: int, at: int, shift: int, session: UUID
) -> None:
    cursor = pagination.encode_cursor(b"key", session, "events", place)
    assert pagination.decode_cursor(b"key", session, "events", cursor) == place
    letter = LETTERS[(LETTERS.index(cursor[at]) + shift) % 64]
    for session_id, listing, wrong_cursor in (
        (session, "events", cursor[:at] + letter + cursor[at + 1 :]),
        (uuid4(), "events", cursor),
        (session, "deals", cursor),
    ):
        assert pagination.decode_cursor(b"key", session_id, listing, wrong_cursor) is None


MOMENTS = st.datetimes().map(lambda at: at.isoformat()) | st.dates().map(
    lambda day: day.isoformat()
)
ZONES = st.sampled_from(["Europe/Stockholm", "UTC", "../UTC", "/etc/passwd", "", ".", "Europe"])
QUERY = st.fixed_dictionaries(
    {},
    optional={
        "from": MOMENTS | texts,
        "to": MOMENTS | texts,
        "tz": ZONES | texts | st.just("A" * 5000),
        "format": st.sampled_from(list(FORMATS)) | texts,
        "profile": st.just("excel") | texts,
        "at": MOMENTS | texts | st.integers().map(str),
    },
)
MEDIA_RANGES = [*FORMATS_BY_MEDIA_TYPE, "*/*", "q=9", "text/*", ";q="]
ACCEPT = headers | st.lists(st.sampled_from(MEDIA_RANGES)).map(",".join)


@fuzz_settings
@given(query=QUERY, accept=ACCEPT)
@example(query={"to": "9999-12-31"}, accept="")
@example(query={"to": "0900-01-01"}, accept="")
@example(query={"from": "0001-01-01T00:00+14:00"}, accept="")
@example(query={"tz": "A\0B"}, accept="")
@example(query={"at": "0001-01-01T00:00:00+23:59"}, accept="")
def test_a_statement_query_is_read_or_refused(
    app: Flask, query: dict[str, str], accept: str
) -> None:
    result = read(
        app, lambda: statement_query(None, "money", request.args), query, {"Accept": accept}
    )
    assert isinstance(result, StatementQuery | Problem | InvalidFields)
    if isinstance(result, Problem):
        assert (result.status, result.code) == (406, "not_acceptable")
    version = read(app, lambda: read_version_or_moment("at"), query, {})
    assert version is None or isinstance(version, int | datetime | InvalidFields)
    assert isinstance(read(app, read_session, query, {}), Problem | InvalidFields)


class OpenedSession:
    """An evening, and its tokens."""

    def __init__(self, client: FlaskClient) -> None:
        names = FOUR_PLAYERS[:3]
        body = {"game": "polskt_pass", "players": names}
        created = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": str(uuid4())})
        self.client, self.id, self.tokens = client, created.json["id"], created.json["tokens"]


@pytest.fixture(scope="module")
def session(app: Flask) -> OpenedSession:
    return OpenedSession(app.test_client())


SCHEMES = st.sampled_from(["Bearer ", "bearer  ", "Basic ", "", "Bearer phone1.", "Bearer host0."])


@fuzz_settings
@given(data=st.data())
def test_a_corrupted_token_is_answered_like_an_unknown_one(
    session: OpenedSession, data: st.DataObject
) -> None:
    valid_token = data.draw(st.sampled_from(sorted(session.tokens.values())))
    corrupted_token = corrupted_documents(st.just(valid_token.encode())).map(
        lambda raw: raw.decode("latin-1")
    )
    value = data.draw(SCHEMES) + data.draw(corrupted_token | headers | st.just(valid_token))
    value = "".join(character for character in value if character not in "\r\n\0")
    scheme, _, token = value.partition(" ")
    is_valid = scheme.lower() == "bearer" and token.strip() in session.tokens.values()
    answer = session.client.get(f"/v1/sessions/{session.id}/pot", headers={"Authorization": value})
    assert answer.status_code == (200 if is_valid else 404), value
