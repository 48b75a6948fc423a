"""Names and other labels that are much too long are refused before they take time.

To bring accents into the order of NFC takes time that grows with the square of their number. The
CPU time of this thread is compared, so the load of the machine does not count.
"""

from __future__ import annotations

import json
import time
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.verify.program.main import verify_document
from tests.support.api.session_client import SessionClient

MAX_CPU_SECONDS = 1.0
ACCENTS = "\u0316\u0301"
"""Two that NFC exchanges."""
keys = count(1)


def post(client: FlaskClient, path: str, body: Any) -> Any:
    """Return the response, which may not take much time."""
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": f"a label that is too long {next(keys)}",
    }
    raw = json.dumps(body, ensure_ascii=False).encode()
    started = time.thread_time()
    response = client.post(path, data=raw, headers=headers)
    assert time.thread_time() - started < MAX_CPU_SECONDS
    return response


def pointers(response: Any) -> list[str]:
    assert response.status_code == 422, response.text
    return [error["pointer"] for error in response.json["errors"]]


@pytest.mark.parametrize("label", ["Ada" + ACCENTS * 31_000, ACCENTS * 31_000, " " * 41])
def test_a_label_that_is_too_long_is_refused_at_once(app: Flask, label: str) -> None:
    body = {"code": "ABCDEF", "label": label}
    assert pointers(post(app.test_client(), "/v1/join-requests", body)) == ["/label"]


def test_a_long_title_in_an_imported_session_is_refused_at_once(
    app: Flask, session: SessionClient
) -> None:
    file = session.get("/export?names=true").json
    for _ in range(2):  # the first request of an app takes longer
        response = post(app.test_client(), "/v1/imports", file | {"title": ACCENTS * 40_000})
    assert pointers(response) == ["/title"]


def test_a_long_name_in_a_saved_alarm_is_compared_at_once() -> None:
    name = ACCENTS * 30_000
    alarm = {
        "format": "vola contradiction 1",
        "session": "11111111-1111-4111-8111-111111111111",
        "at": "",
        "kept": {"names": {"p1": ["Ada", name]}},
        "received": {"players": [{"id": "p1", "name": name}, {"id": "p2", "name": "Ada"}]},
    }
    started = time.thread_time()
    assert verify_document(json.dumps(alarm).encode())[1] == "names_moved"
    assert time.thread_time() - started < MAX_CPU_SECONDS
