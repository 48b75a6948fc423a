"""Attacks on a browser by a page, a proxy or a header fail (docs/security.md)."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.http.security_headers import HEADERS, HSTS_ONE_YEAR
from ledger.store import connection_pool as database
from tests.support.api.openapi_contract import OPERATIONS
from tests.support.api.request_examples import ExampleSessions
from tests.support.api.session_client import SessionClient, keys
from tests.support.app import limited_app
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS


def write_headers() -> dict[str, str]:
    return {"Idempotency-Key": f"a secret of 22 signs, {next(keys)}", "If-Match": "*"}


def test_a_host_seen_over_https_gets_hsts(client: FlaskClient) -> None:
    for path in ("/", "/v1/games", "/v1/nothing"):
        plain, safe = client.get(path), client.get(path, base_url="https://vola.example")
        assert "Strict-Transport-Security" not in plain.headers  # it would have no effect
        assert safe.headers["Strict-Transport-Security"] == HSTS_ONE_YEAR
        assert "includeSubDomains" not in HSTS_ONE_YEAR
        assert int(HSTS_ONE_YEAR.split(";")[0].partition("=")[2]) >= 365 * 24 * 3600


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "path",
    ["/", "/v1/sessions", "/v1/sessions/x/pot", "/v1/nothing", "/docs", "/verify", "/healthz",
     "/form/0/static/app/main.js", "/form/0/static/none.js", "/static/docs.css",
     "/static/verify/page.js", "//evil.example/", "/v1//games"],
)  # fmt: skip
def test_every_answer_has_the_headers_and_allows_no_other_origin(
    client: FlaskClient, method: str, path: str
) -> None:
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
    answer = client.open(path, method=method, headers=origin)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]
    assert "Location" not in answer.headers
    assert answer.headers["X-Request-Id"]
    if answer.status_code >= 400:
        assert answer.mimetype == "application/problem+json"
        assert answer.headers["Cache-Control"] == "no-store"
    answer.close()


def test_a_page_runs_the_code_of_this_server_alone_and_in_no_frame(client: FlaskClient) -> None:
    headers = client.get("/").headers
    policy = {tuple(part.split()) for part in headers["Content-Security-Policy"].split(";")}
    assert policy == {
        *((name, "'self'") for name in ("default-src", "script-src", "style-src", "form-action")),
        ("img-src", "'self'", "data:"),
        *((name, "'none'") for name in ("object-src", "base-uri", "frame-ancestors")),
    }
    assert headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()"
    assert headers["Referrer-Policy"] == "no-referrer"  # a link has its token in its address
    assert headers["X-Content-Type-Options"] == "nosniff"
    for name in ("Opener", "Resource"):
        assert headers[f"Cross-Origin-{name}-Policy"] == "same-origin"


def test_no_path_redirects_to_another_host(client: FlaskClient) -> None:
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


def test_an_invalid_host_appears_in_no_link(session: SessionClient) -> None:
    answer = session.get("/links", Host='a"><script>')
    assert answer.status_code == 400
    assert b"script" not in answer.data


@pytest.mark.parametrize(
    "header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL",
               "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Host"],
)  # fmt: skip
def test_no_header_overrides_the_method_or_the_path(session: SessionClient, header: str) -> None:
    before = session.get().data
    for value in ("DELETE", "PUT", "/metrics", "evil.example"):
        answer = session.get("/pot", **{header: value})
        assert answer.status_code == 200
        assert b"evil" not in session.get("/links", **{header: value}).data
    assert session.get().data == before


@pytest.mark.parametrize(
    "query", ["at=1&at=2", "at=1&%61t=1", "lang=sv&lang=en", "a=&a=", "at=1&at"]
)
def test_a_repeated_query_parameter_is_refused(session: SessionClient, query: str) -> None:
    answer = session.get(f"?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "malformed")


def test_a_token_in_the_query_or_body_grants_nothing(
    client: FlaskClient, session: SessionClient
) -> None:
    token = session.tokens["host"]
    for name in ("token", "access_token", "authorization", "Authorization", f"vola-{session.id}"):
        assert client.get(f"{session.path}?{name}={token}").status_code == 404
        body = {"actions": [{"type": "open_deal", "number": 1}], name: token}
        answer = client.post(f"{session.path}/actions", json=body, headers=write_headers())
        assert answer.status_code == 404


@pytest.fixture(scope="module")
def examples(app: Flask, cluster: Any) -> ExampleSessions:
    from tests.support.databases import with_database

    return ExampleSessions(app, with_database(cluster.owner_url, "vola_app_tests"))


@pytest.mark.parametrize(
    "name", [n for n, o in OPERATIONS.items() if o.get("x-role") or o["method"] == "post"]
)
def test_private_answers_are_stored_by_no_shared_cache(
    app: Flask, examples: ExampleSessions, name: str
) -> None:
    example = examples.request(name)
    owner = examples.group if "{circle}" in OPERATIONS[name]["path"] else examples.session
    needed = OPERATIONS[name].get("x-role")
    token = owner.join_request if needed == "join_request" else owner.tokens["host"]
    headers = {
        name[5:].replace("_", "-"): v
        for name, v in example["headers"].items()
        if name[:5] == "HTTP_"
    }
    headers["Authorization"] = f"Bearer {token}"
    answer = app.test_client().open(
        example["path"], method=example["method"].upper(), query_string=example["query"],
        data=example["body"], headers=headers, content_type=example["headers"].get("CONTENT_TYPE"),
    )  # fmt: skip
    directives = {part.strip() for part in answer.headers.get("Cache-Control", "").split(",")}
    assert directives & {"no-store", "private"}, (answer.status_code, answer.headers)
    assert "public" not in directives
    answer.close()


def test_an_internal_error_reveals_only_its_request_id(
    urls: DatabaseUrls, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with database.open_pool(urls.app, size=1) as pool:
        app = limited_app(pool)

        def fail() -> None:
            raise RuntimeError("SELECT secret FROM /srv/vola/api/resources/games.py")

        monkeypatch.setitem(app.view_functions, "operations.healthz", fail)
        answer = app.test_client().get("/healthz", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert not re.search(rb"secret|SELECT|/srv|\.py|Traceback|RuntimeError", answer.data)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_only_the_creator_of_a_session_sees_its_tokens(
    client: FlaskClient,
) -> None:
    key, body = str(uuid4()), {"game": "polskt_pass", "players": FOUR_PLAYERS}
    opened = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": key})
    refused = client.post(
        "/v1/sessions", json={**body, "title": "Other"}, headers={"Idempotency-Key": key}
    )
    assert (opened.status_code, refused.status_code) == (201, 422)
    assert opened.json["tokens"]["host"].encode() not in refused.data
