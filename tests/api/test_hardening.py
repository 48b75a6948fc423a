"""What a browser, a proxy or somebody with a socket could be talked into, and is not.

Threats and tests side by side: docs/security.md.
"""

from __future__ import annotations

import ast
import http.client
import re
import socket
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app, guard
from ledger import database
from tests.api.conftest import FOUR, Table, keys
from tests.api.rooms import Room
from tests.api.test_openapi import OPERATIONS, ROOT
from tests.conftest import Server, Urls

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


# --- a real server ------------------------------------------------------------------------------

TRICKS = [
    "/form/static/../form.html",
    "/form/static/../../__init__.py",
    "/form/static/..%2f..%2f__init__.py",
    "/form/static/%2e%2e/%2e%2e/__init__.py",
    "/form/static/....//....//__init__.py",
    "/form/static/..%5c..%5c__init__.py",
    "/form/static//etc/passwd",
    "/form/static/%2fetc%2fpasswd",
    "/form/static/app.js%00.html",
    "/form/static/" + "a/" * 2000,
    "/form/translations/..%2f..%2fwords%2fsv.json",
    "/form/translations/../static/app.js%3f.json",
    "/static/..%2f__init__.py",
    "/static/../../pyproject.toml",
    "/static/verify/..%2f..%2f__init__.py",
    "/static/verify/%252e%252e/__init__.py",
    "/.git/config",
    "/pyproject.toml",
    "/verify.py/../access.py",
]


@pytest.mark.parametrize("path", TRICKS)
def test_no_path_leads_out_of_what_is_public(server: Server, path: str) -> None:
    status, raw = bare(
        server, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    )
    assert status in (400, 404, 414), (status, raw[:300])
    assert not re.search(rb"import |root:|\[project\]|\[core\]|secret", raw)


SMUGGLED = {
    "two lengths": b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
    "a length and chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a length that is none": b"Content-Length: -1\r\n\r\n",
    "a length with a sign": b"Content-Length: +4\r\n\r\nabcd",
    "chunks twice": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "chunks misspelt": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a folded header": b"X-A: b\r\n Content-Length: 4\r\n\r\n",
    "a space before the colon": b"Content-Length : 4\r\n\r\nabcd",
    "a NUL": b"X-A: \x00\r\n\r\n",
    "a bare line end": b"X-A: b\nX-B: c\r\n\r\n",
    "a chunk that is none": b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk without an end": b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n",
}


@pytest.mark.parametrize("how", SMUGGLED)
def test_no_request_hides_in_another(server: Server, how: str) -> None:
    """One answer to what was one request, or none, and then the line is dead."""
    hidden = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    start = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\n"
    status, raw = bare(server, start + SMUGGLED[how] + hidden)
    answers = re.findall(rb"HTTP/1\.1 (\d{3})", raw)
    assert status == 0 or 400 <= status < 500, (status, raw[:300])
    assert all(code[:1] == b"4" for code in answers) or answers == [answers[0], b"200"]
    assert bare(server, hidden)[0] == 200


def test_a_server_says_neither_what_it_is_nor_which(server: Server) -> None:
    for path in ("/", "/v1/games", "/v1/nothing"):
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        line.request("GET", path)
        answer = line.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        answer.read()
        line.close()
        assert not re.search(r"\d|flask|werkzeug|python", told.get("server", ""), re.IGNORECASE)
        assert "x-powered-by" not in told
        assert {name: told.get(name.lower()) for name in guard.HEADERS} == guard.HEADERS


def test_trace_and_connect_get_nothing(server: Server) -> None:
    for start in (b"TRACE / HTTP/1.1", b"CONNECT evil.example:443 HTTP/1.1", b"DEBUG / HTTP/1.1"):
        status, raw = bare(
            server, start + b"\r\nHost: x\r\nX-Secret: told\r\nConnection: close\r\n\r\n"
        )
        assert status == 0 or status >= 400, (start, raw[:200])
        assert b"told" not in raw


def bare(server: Server, sent: bytes) -> tuple[int, bytes]:
    """What comes back of these very bytes; 0 when the line is cut without an answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.settimeout(3)
        line.sendall(sent)
        raw = b""
        try:
            while piece := line.recv(65536):
                raw += piece
                if b"HTTP/1." in raw and b"\r\n\r\n" in raw and b"onnection: close" not in sent:
                    break
        except (TimeoutError, ConnectionResetError):
            pass
    found = re.match(rb"HTTP/1\.[01] (\d{3})", raw)
    return (int(found[1]) if found else 0), raw


# --- what is not in the code at all -------------------------------------------------------------


def imported() -> Iterator[tuple[str, str]]:
    for package in ("api", "engine", "ledger", "workers", "migrations"):
        for path in (ROOT / package).rglob("*.py"):
            where = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    yield from ((where, alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    yield where, node.module
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield where, f"{node.func.id}()"


def test_the_server_asks_no_other_server_and_reads_nothing_that_could_run() -> None:
    """No address from outside is ever fetched; no XML, no pickle, no eval: nothing to confuse."""
    asks = ("urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib")
    runs = (
        "xml",
        "lxml",
        "pickle",
        "marshal",
        "shelve",
        "dill",
        "eval()",
        "exec()",
        "__import__()",
    )
    found = {
        (where, name)
        for where, name in imported()
        if any(name == bad or name.startswith(f"{bad}.") for bad in (*asks, *runs))
    }
    assert found == {("api/demo.py", "urllib.request")}  # `vola demo`, a client


def test_what_is_secret_is_compared_in_a_time_that_tells_nothing() -> None:
    """Where a token, a seal of one or a PIN is held against what somebody has sent."""
    for file in ("api/access.py", "ledger/pins.py"):
        text = (ROOT / file).read_text("utf-8")
        compares = [
            ast.unparse(node)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Compare)
            and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        ]
        assert "compare_digest" in text
        assert not [c for c in compares if re.search(r"token|right|pin\b|digest|mac", c)]


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
