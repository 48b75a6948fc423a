"""Pages of other origins may use the API only where VOLA_CORS_ORIGINS names them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.server.rsgi_adapter import RsgiAdapter
from api.settings import InvalidSetting, read_settings
from tests.support.api.socket_clients import run_in_thread

CLUB, PREFLIGHT = "https://club.example", {"Access-Control-Request-Method": "POST"}


@pytest.fixture
def shared_app(app: Flask) -> Iterator[Flask]:
    """The app with one named origin."""
    app.config["CORS_ORIGINS"] = frozenset({CLUB})
    yield app
    del app.config["CORS_ORIGINS"]


def ask(app: Flask, path: str, origin: str, method: str = "GET") -> TestResponse:
    headers = {"Origin": origin, **(PREFLIGHT if method == "OPTIONS" else {})}
    return app.test_client().open(path, method=method, headers=headers)


def cors_headers(response: TestResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers if name.startswith("Access-Control-")}


def test_a_named_origin_may_read_the_answer_and_its_headers(shared_app: Flask) -> None:
    response = ask(shared_app, "/v1/games", CLUB)
    assert response.headers["Access-Control-Allow-Origin"] == CLUB
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    assert "Origin" in response.vary


def test_a_page_may_read_how_many_requests_are_left(shared_app: Flask) -> None:
    response = ask(shared_app, "/v1/games", CLUB)
    names = {name for name, _ in response.headers if name.startswith("RateLimit")}
    assert names == {"RateLimit", "RateLimit-Policy"}
    exposed_names = response.headers["Access-Control-Expose-Headers"].split(", ")
    assert names <= set(exposed_names)


def test_a_refusal_can_be_read_as_well(shared_app: Flask) -> None:
    response = ask(shared_app, "/v1/sessions/nothing", CLUB)
    assert response.status_code == 404
    assert response.headers["Access-Control-Allow-Origin"] == CLUB


class RefusedRequest:
    """A request with the interface of granian, which the server refuses itself."""

    method, path, scheme, http_version, query_string = "GET", "/v1/games", "http", "1.1", ""
    server, client, headers = "127.0.0.1:80", "203.0.113.7:5000", {"origin": CLUB}

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.response_headers = status, dict(headers)


def test_a_refusal_by_the_server_itself_can_be_read_as_well(
    shared_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_app, "wsgi_app", lambda environ, start_response: 1 / 0)
    request = RefusedRequest()

    async def respond() -> None:
        await RsgiAdapter(shared_app).__rsgi__(request, request)

    run_in_thread(respond())
    assert request.status == 500
    assert request.response_headers["Access-Control-Allow-Origin"] == CLUB
    assert "Retry-After" in request.response_headers["Access-Control-Expose-Headers"]


def test_a_preflight_allows_what_a_write_sends(shared_app: Flask) -> None:
    response = ask(shared_app, "/v1/sessions", CLUB, "OPTIONS")
    assert response.status_code == 200
    allowed = response.headers["Access-Control-Allow-Headers"]
    for header in ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Prefer"):
        assert header in allowed
    assert "POST" in response.headers["Access-Control-Allow-Methods"]


def test_cookies_are_not_allowed_across_origins(shared_app: Flask) -> None:
    response = ask(shared_app, "/v1/games", CLUB)
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize("origin", ["https://evil.example", "http://club.example", "null", ""])
def test_another_origin_gets_no_cors_headers(shared_app: Flask, origin: str) -> None:
    response = ask(shared_app, "/v1/games", origin)
    assert cors_headers(response) == {}
    assert "Origin" in response.vary


def test_pages_are_not_shared(shared_app: Flask) -> None:
    assert cors_headers(ask(shared_app, "/docs", CLUB)) == {}


def test_origins_are_a_setting() -> None:
    assert read_settings({}).cors_origins == frozenset()
    text = "https://club.example/, http://127.0.0.1:3000"
    assert read_settings({"VOLA_CORS_ORIGINS": text}).cors_origins == {
        "https://club.example",
        "http://127.0.0.1:3000",
    }


@pytest.mark.parametrize("origin", ["https://club.example:443", "http://club.example:80"])
def test_an_origin_with_the_usual_port_is_refused(origin: str) -> None:
    with pytest.raises(InvalidSetting, match="usual port"):
        read_settings({"VOLA_CORS_ORIGINS": origin})
