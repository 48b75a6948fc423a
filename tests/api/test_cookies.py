"""The form's cookie: for this host, for no script, and for no page but our own.

Threats and tests side by side: docs/security.md.
"""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import Table, keys
from tests.api.test_openapi import OPERATIONS

ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "https://evil.localhost"},
    {"Sec-Fetch-Site": "nonsense"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:8081"},
    {"Origin": "null"},
]
AT_HOME: list[dict[str, str]] = [
    {},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost"},
]


def remembered(app: Flask, table: Table, role: str = "host") -> FlaskClient:
    """A browser that has nothing but the form's cookie."""
    browser = app.test_client()
    right = {"Authorization": f"Bearer {table.tokens[role]}"}
    assert browser.put(f"{table.here}/cookie", headers=right).status_code == 204
    return browser


def plays(browser: FlaskClient, table: Table, headers: dict[str, str]) -> Any:
    return browser.post(
        f"{table.here}/actions",
        json={"actions": [{"type": "open_deal", "number": 1}]},
        headers={"Idempotency-Key": f"k{next(keys)}", **headers},
    )


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_a_cookie_that_another_page_makes_a_browser_send_is_none(
    app: Flask, table: Table, headers: dict[str, str]
) -> None:
    browser, before = remembered(app, table), table.get().data
    stranger = plays(app.test_client(), table, {})
    refused = plays(browser, table, headers)
    assert (refused.status_code, refused.data) == (404, stranger.data)
    for method, path in (("DELETE", "/deals/1"), ("PUT", "/cookie"), ("DELETE", "/links/viewer")):
        answer = browser.open(table.here + path, method=method, headers={**headers, **stamp()})
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_session")
        assert "Set-Cookie" not in answer.headers
    assert table.get().data == before
    right = {"Authorization": f"Bearer {table.tokens['host']}"}  # which no page can have sent along
    assert plays(browser, table, {**headers, **right}).status_code == 201


@pytest.mark.parametrize("headers", AT_HOME)
def test_the_form_s_own_cookie_is_taken(app: Flask, table: Table, headers: dict[str, str]) -> None:
    assert plays(remembered(app, table), table, headers).status_code == 201


def stamp() -> dict[str, str]:
    return {"Idempotency-Key": f"k{next(keys)}", "If-Match": "*"}


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""]
)
def test_a_form_on_another_page_can_write_nothing(client: FlaskClient, kind: str) -> None:
    """What a page may send without asking first is none of these; JSON it may not."""
    asked = 0
    for operation in OPERATIONS.values():
        if "requestBody" in operation:
            path = re.sub(r"{(circle|session)}", str(uuid4()), operation["path"])
            path = re.sub(r"{(deal|knock|version)}", "1", path)
            method = operation["method"].upper()
            answer = client.open(
                path, method=method, data=b"{}", headers=stamp(), content_type=kind or None
            )
            assert answer.status_code == 415, (path, answer.text)
            asked += 1
    assert asked > 10


@pytest.mark.parametrize(("scheme", "prefix"), [("http", ""), ("https", "__Host-")])
def test_a_cookie_is_for_this_host_and_no_script(
    app: Flask, table: Table, scheme: str, prefix: str
) -> None:
    right = {"Authorization": f"Bearer {table.tokens['viewer']}"}
    answer = app.test_client().put(
        f"{table.here}/cookie", headers=right, base_url=f"{scheme}://localhost"
    )
    name, _, rest = answer.headers["Set-Cookie"].partition("=")
    said = {part.strip().lower() for part in rest.split(";")[1:]}
    assert name == f"{prefix}vola-{table.id}"
    assert {"httponly", "samesite=strict", "path=/"} <= said
    assert ("secure" in said) == (scheme == "https")
    assert not any(part.startswith("domain") for part in said)
