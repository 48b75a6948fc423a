"""The form's cookie: for this host only, hidden from scripts, and ignored in requests that another
page starts (docs/security.md)."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask, request
from flask.testing import FlaskClient

from tests.support.api.openapi_contract import OPERATIONS
from tests.support.api.session_client import SessionClient, keys

CROSS_SITE_HEADERS = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "https://evil.localhost"},
    {"Sec-Fetch-Site": "nonsense"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:8081"},
    {"Origin": "null"},
    {"Origin": "http://["},
]
SAME_SITE_HEADERS: list[dict[str, str]] = [
    {},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost"},
]


def browser_with_cookie(app: Flask, session: SessionClient, role: str = "host") -> FlaskClient:
    """Return a browser whose only credential is the form's cookie."""
    browser = app.test_client()
    credentials = {"Authorization": f"Bearer {session.tokens[role]}"}
    assert browser.put(f"{session.path}/cookie", headers=credentials).status_code == 204
    return browser


def open_deal(browser: FlaskClient, session: SessionClient, headers: dict[str, str]) -> Any:
    return browser.post(
        f"{session.path}/actions",
        json={"actions": [{"type": "open_deal", "number": 1}]},
        headers={"Idempotency-Key": f"k{next(keys)}", **headers},
    )


@pytest.mark.parametrize("headers", CROSS_SITE_HEADERS)
def test_a_cookie_sent_by_another_page_grants_nothing(
    app: Flask, session: SessionClient, headers: dict[str, str]
) -> None:
    browser, before = browser_with_cookie(app, session), session.get().data
    stranger = open_deal(app.test_client(), session, {})
    refused = open_deal(browser, session, headers)
    assert (refused.status_code, refused.data) == (404, stranger.data)
    for method, path, body in (
        ("DELETE", "/deals/1", None),
        ("PUT", "/cookie", None),
        ("POST", "/links/viewer/rotation", {}),
    ):
        answer = browser.open(
            session.path + path, method=method, json=body, headers={**headers, **write_headers()}
        )
        assert (answer.status_code, answer.json["code"]) == (404, "unknown_session")
        assert "Set-Cookie" not in answer.headers
    phone = browser.post(
        f"{session.path}/devices",
        json={"label": "Emil", "role": "host"},
        headers={**headers, **write_headers()},
    )
    assert (phone.status_code, phone.json["code"]) == (404, "unknown_session")
    assert session.get().data == before
    credentials = {
        "Authorization": f"Bearer {session.tokens['host']}"
    }  # another page cannot send this header
    assert open_deal(browser, session, {**headers, **credentials}).status_code == 201


def test_a_cookie_from_another_page_is_hidden_from_rate_limits(app: Flask) -> None:
    """Rate limits read cookies before any view does; they are on here, as in production."""
    assert app.extensions["rate_limits"]
    headers = {"Cookie": "vola=1", "Sec-Fetch-Site": "cross-site"}
    for method, count in (("POST", 0), ("PUT", 0), ("DELETE", 0), ("PATCH", 0), ("GET", 1)):
        with app.test_request_context("/", method=method, headers=headers):
            assert len(request.cookies) == count


@pytest.mark.parametrize("headers", SAME_SITE_HEADERS)
def test_the_forms_own_cookie_grants_access(
    app: Flask, session: SessionClient, headers: dict[str, str]
) -> None:
    assert open_deal(browser_with_cookie(app, session), session, headers).status_code == 201


def write_headers() -> dict[str, str]:
    return {"Idempotency-Key": f"a secret of 22 signs, {next(keys)}", "If-Match": "*"}


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""]
)
def test_a_form_on_another_page_can_write_nothing(client: FlaskClient, kind: str) -> None:
    """Browsers send these content types without a preflight request; JSON needs one."""
    tested = 0
    for operation in OPERATIONS.values():
        if "requestBody" in operation:
            path = re.sub(r"{(group|session)}", str(uuid4()), operation["path"])
            path = re.sub(r"{(deal|cost|number|version)}", "1", path)
            method = operation["method"].upper()
            answer = client.open(
                path, method=method, data=b"{}", headers=write_headers(), content_type=kind or None
            )
            assert answer.status_code == 415, (path, answer.text)
            tested += 1
    assert tested > 10


def cookie_value(browser: FlaskClient, name: str = "vola") -> str:
    """Return the value of this cookie in the browser, empty if there is none."""
    cookie = browser.get_cookie(name)
    return cookie.value if cookie else ""


def can_read(browser: FlaskClient, session: SessionClient) -> bool:
    return bool(browser.get(session.path).status_code == 200)


def test_one_cookie_holds_the_sessions_opened_last(app: Flask, open_session: Any) -> None:
    browser = app.test_client()
    sessions = [open_session() for _ in range(60)]
    for session in sessions:
        credentials = {"Authorization": f"Bearer {session.tokens['scorer']}"}
        answer = browser.put(f"{session.path}/cookie", headers=credentials)
        assert len(answer.headers["Set-Cookie"]) < 4096
    assert len(browser._cookies) == 1
    assert all(can_read(browser, session) for session in sessions[-45:])
    assert not can_read(browser, sessions[0])
    credentials = {"Authorization": f"Bearer {sessions[-2].tokens['host']}"}
    assert browser.put(f"{sessions[-2].path}/cookie", headers=credentials).status_code == 204
    assert open_deal(browser, sessions[-2], {}).status_code == 201
    assert cookie_value(browser).count(sessions[-2].tokens["host"]) == 1
    assert sessions[-2].tokens["scorer"] not in cookie_value(browser)


@pytest.mark.parametrize(("scheme", "prefix"), [("http", ""), ("https", "__Host-")])
def test_a_cookie_of_one_session_moves_into_the_shared_cookie(
    app: Flask, open_session: Any, scheme: str, prefix: str
) -> None:
    browser, (old, second, new) = app.test_client(), [open_session() for _ in range(3)]
    base = {"base_url": f"{scheme}://localhost"}
    for session in (old, second):
        browser.set_cookie(f"{prefix}vola-{session.id}", session.tokens["viewer"])
        assert browser.get(session.path, **base).status_code == 200
    credentials = {"Authorization": f"Bearer {new.tokens['host']}"}
    assert browser.put(f"{new.path}/cookie", headers=credentials, **base).status_code == 204
    assert len(browser._cookies) == 1
    for session in (old, second, new):
        assert browser.get(session.path, **base).status_code == 200


def test_an_ended_token_leaves_the_cookie(app: Flask, open_session: Any) -> None:
    browser, (revoked, remaining) = app.test_client(), [open_session() for _ in range(2)]
    phone = revoked.write("/devices", {"label": "Bo"}).json
    for session, token in ((revoked, phone["token"]), (remaining, remaining.tokens["viewer"])):
        credentials = {"Authorization": f"Bearer {token}"}
        assert browser.put(f"{session.path}/cookie", headers=credentials).status_code == 204
    assert can_read(browser, revoked)
    assert revoked.write(f"/devices/{phone['id']}", method="DELETE", match="*").status_code == 200
    assert not can_read(browser, revoked)
    assert phone["token"] not in cookie_value(browser)
    assert can_read(browser, remaining)
    remaining.write("/links/viewer/rotation", {}, match="*")
    assert not can_read(browser, remaining)
    assert not browser._cookies


def test_a_token_in_the_header_changes_no_cookie(app: Flask, open_session: Any) -> None:
    browser, session = app.test_client(), open_session()
    browser.set_cookie("vola", "anything at all")
    wrong = browser.get(session.path, headers={"Authorization": "Bearer host0.x"})
    assert (wrong.status_code, "Set-Cookie" in wrong.headers) == (404, False)
    assert browser.get(f"{session.path}/deals/9", headers={}).status_code == 404


@pytest.mark.parametrize(("scheme", "prefix"), [("http", ""), ("https", "__Host-")])
def test_a_cookie_is_for_this_host_and_for_no_script(
    app: Flask, session: SessionClient, scheme: str, prefix: str
) -> None:
    credentials = {"Authorization": f"Bearer {session.tokens['viewer']}"}
    answer = app.test_client().put(
        f"{session.path}/cookie", headers=credentials, base_url=f"{scheme}://localhost"
    )
    name, _, rest = answer.headers["Set-Cookie"].partition("=")
    attributes = {part.strip().lower() for part in rest.split(";")[1:]}
    assert name == f"{prefix}vola"  # one cookie for each server
    assert {"httponly", "samesite=strict", "path=/"} <= attributes
    assert ("secure" in attributes) == (scheme == "https")
    assert not any(part.startswith("domain") for part in attributes)
