"""If-Match and If-None-Match: 304, 400, 412 and 428 (RFC 9110 §13)."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.api.group_client import GroupClient, settle_payments
from tests.support.api.session_client import SessionClient
from tests.support.worked_evenings import E1, lines

OPEN = {"type": "open_deal", "number": 1}
OPEN_NEXT = {"type": "open_deal"}
DECLARE = {"type": "declare", "players": ["p2"]}


@pytest.mark.parametrize(
    ("match", "status", "code"),
    [
        (None, 428, "version_required"),
        ('"1"', 412, "stale_version"),
        ('"99"', 412, "stale_version"),
        ("2", 400, "if_match_malformed"),
        ('W/"2"', 400, "if_match_malformed"),
        ('"two"', 400, "if_match_malformed"),
        ('"02"', 400, "if_match_malformed"),
        ('"2", "3"', 400, "if_match_malformed"),
        ('"1234567890"', 400, "if_match_malformed"),
        ('"2"', 201, None),
        (' "2" ', 201, None),
        ('"2-csv"', 201, None),
        ("*", 201, None),
        (" * ", 201, None),
    ],
)
def test_a_change_names_the_version_it_is_based_on(
    session: SessionClient, match: str | None, status: int, code: str | None
) -> None:
    session.act(OPEN)
    answer = session.act(DECLARE, match=match)
    assert answer.status_code == status
    if status != 201:
        assert answer.json["code"] == code
        assert session.version == 2
    if status == 412:
        assert (answer.json["actual"], answer.headers["ETag"]) == (2, '"2"')


def test_a_settled_payment_makes_no_change_stale(open_session: Any, app: Flask) -> None:
    session = open_session(options={})
    for line in list(lines(E1))[:5]:
        session.act(*line.actions())
    match = f'"{session.version}"'
    settle_payments(app, session)
    device = session.write("/devices", {"label": "Adas telefon"}, match=match)
    assert device.status_code == 201, device.json
    assert session.act(OPEN_NEXT, match=match).status_code == 201
    refused = session.write("/devices", {"label": "Bos telefon"}, match=match)
    assert (refused.status_code, refused.json["code"]) == (412, "stale_version")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["session", "group", "/v1/games", "/"])
def test_if_match_accepts_the_current_tag_and_a_star(
    session: SessionClient, group: GroupClient, client: FlaskClient, method: str, path: str
) -> None:
    """RFC 9110 §13.1: `*` matches anything, and a weak tag is enough for If-None-Match."""

    subjects: dict[str, SessionClient | GroupClient] = {"session": session, "group": group}

    def read(**headers: str) -> TestResponse:
        if subject := subjects.get(path):
            headers["Authorization"] = f"Bearer {subject.tokens['viewer']}"
        address = subject.path if subject else path
        return client.open(address, method=method, headers=headers)

    tag = read().headers["ETag"]
    for header in ("*", tag, f'"other", {tag}'):
        assert read(**{"If-Match": header}).status_code == 200
    for header in ('"other"', f"W/{tag}"):
        refused = read(**{"If-Match": header, "If-None-Match": tag})
        assert refused.status_code == 412
        assert refused.content_type == "application/problem+json"
        assert method == "HEAD" or refused.json["code"] == "precondition_failed"
    for header in ("*", tag, f"W/{tag}", f'"other", {tag}'):
        response = read(**{"If-Match": "*", "If-None-Match": header})
        assert (response.status_code, response.data, response.headers["ETag"]) == (304, b"", tag)
        assert "Content-Type" not in response.headers
    assert read(**{"If-None-Match": '"other"'}).status_code == 200
