"""What a browser or a proxy could be talked into, and is not.

Threats and tests side by side: docs/security.md.
"""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import guard
from api.app import create_app
from ledger import database
from tests.api.conftest import FOUR, Table, keys
from tests.api.rooms import Room
from tests.api.test_openapi import OPERATIONS
from tests.conftest import Urls


def stamp() -> dict[str, str]:
    return {"Idempotency-Key": f"k{next(keys)}", "If-Match": "*"}


def test_once_over_https_always_over_https(client: FlaskClient) -> None:
    for path in ("/", "/v1/games", "/v1/nothing"):
        plain, safe = client.get(path), client.get(path, base_url="https://localhost")
        assert "Strict-Transport-Security" not in plain.headers  # it would count for nothing
        assert safe.headers["Strict-Transport-Security"] == guard.FROM_NOW_ON_HTTPS
        assert int(guard.FROM_NOW_ON_HTTPS.split(";")[0].partition("=")[2]) >= 365 * 24 * 3600


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "path",
    ["/", "/v1/sessions", "/v1/sessions/x/pot", "/v1/nothing", "/docs", "/verify", "/healthz",
     "/form/static/app.js", "/form/static/none.js", "/static/docs.css", "/static/verify/page.js",
     "//evil.example/", "/v1//games"],
)  # fmt: skip
def test_every_answer_carries_the_headers_and_lets_in_no_other_origin(
    client: FlaskClient, method: str, path: str
) -> None:
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
    answer = client.open(path, method=method, headers=origin)
    assert {name: answer.headers.get(name) for name in guard.HEADERS} == guard.HEADERS
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]
    assert "Location" not in answer.headers
    assert answer.headers["X-Request-Id"]
    if answer.status_code >= 400:
        assert answer.mimetype == "application/problem+json"
        assert answer.headers["Cache-Control"] == "no-store"
    answer.close()


def test_no_address_leads_to_another_host(client: FlaskClient) -> None:
    for path in (
        "//evil.example/..",
        "/\\evil.example",
        "/%2f%2fevil.example",
        "/docs//",
        "/?next=//x",
    ):
        answer = client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code in (200, 404)
        assert b"evil.example" not in answer.data
        assert not {"Location", "Refresh", "Content-Location"} & set(answer.headers.keys())


def test_a_host_that_could_not_be_one_is_put_into_no_link(table: Table) -> None:
    answer = table.get("/links", Host='a"><script>')
    assert answer.status_code == 400
    assert b"script" not in answer.data


@pytest.mark.parametrize(
    "header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL",
               "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Host"],
)  # fmt: skip
def test_no_header_stands_in_for_the_method_or_the_address(table: Table, header: str) -> None:
    before = table.get().data
    for value in ("DELETE", "PUT", "/metrics", "evil.example"):
        answer = table.get("/pot", **{header: value})
        assert answer.status_code == 200
        assert b"evil" not in table.get("/links", **{header: value}).data
    assert table.get().data == before


@pytest.mark.parametrize(
    "query", ["at=1&at=2", "at=1&%61t=1", "lang=sv&lang=en", "a=&a=", "at=1&at"]
)
def test_what_is_said_twice_is_not_said(table: Table, query: str) -> None:
    answer = table.get(f"?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "malformed")


def test_a_token_counts_in_no_address_and_in_no_body(client: FlaskClient, table: Table) -> None:
    right = table.tokens["host"]
    for name in ("token", "access_token", "authorization", "Authorization", f"vola-{table.id}"):
        assert client.get(f"{table.here}?{name}={right}").status_code == 404
        sent = {"actions": [{"type": "open_deal", "number": 1}], name: right}
        answer = client.post(f"{table.here}/actions", json=sent, headers=stamp())
        assert answer.status_code == 404


@pytest.fixture(scope="module")
def room(app: Flask, cluster: Any) -> Room:
    from tests.conftest import _renamed

    return Room(app, _renamed(cluster.owner_url, "vola_app_tests"))


@pytest.mark.parametrize(
    "name", [n for n, o in OPERATIONS.items() if o.get("x-role") or o["method"] == "post"]
)
def test_what_is_somebody_s_own_is_kept_by_no_cache_between(
    app: Flask, room: Room, name: str
) -> None:
    asked = room.request(name)
    right = room.circle if "{circle}" in OPERATIONS[name]["path"] else room.session
    needed = OPERATIONS[name].get("x-role")
    token = right.knock if needed == "knock" else right.tokens["host"]
    headers = {
        name[5:].replace("_", "-"): v for name, v in asked["headers"].items() if name[:5] == "HTTP_"
    }
    headers["Authorization"] = f"Bearer {token}"
    answer = app.test_client().open(
        asked["path"], method=asked["method"].upper(), query_string=asked["query"],
        data=asked["body"], headers=headers, content_type=asked["headers"].get("CONTENT_TYPE"),
    )  # fmt: skip
    kept = {part.strip() for part in answer.headers.get("Cache-Control", "").split(",")}
    assert kept & {"no-store", "private"}, (answer.status_code, answer.headers)
    assert "public" not in kept
    answer.close()


def test_an_error_tells_its_number_and_nothing_of_the_inside(
    urls: Urls, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with database.pool(urls.app, size=1) as pool:
        app = create_app(pool)

        def breaks() -> None:
            raise RuntimeError("SELECT secret FROM /srv/vola/api/games.py")

        monkeypatch.setitem(app.view_functions, "operating.healthz", breaks)
        answer = app.test_client().get("/healthz", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert not re.search(rb"secret|SELECT|/srv|\.py|Traceback|RuntimeError", answer.data)
    assert {name: answer.headers.get(name) for name in guard.HEADERS} == guard.HEADERS


def test_opening_needs_no_right_and_gives_one_that_only_its_opener_sees(
    client: FlaskClient,
) -> None:
    key, body = str(uuid4()), {"game": "polskt_pass", "players": FOUR}
    made = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": key})
    other = client.post(
        "/v1/sessions", json={**body, "title": "Other"}, headers={"Idempotency-Key": key}
    )
    assert (made.status_code, other.status_code) == (201, 422)
    assert made.json["tokens"]["host"].encode() not in other.data
