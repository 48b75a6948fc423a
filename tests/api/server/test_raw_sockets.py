"""Attacks by raw bytes on a socket fail against a running server (docs/security.md)."""

from __future__ import annotations

import http.client
import json
import re
import socket
from uuid import uuid4

import pytest

from api.http.security_headers import HEADERS
from tests.support.player_names import FOUR_PLAYERS
from tests.support.server_process import ServerProcess

TRAVERSAL_PATHS = [
    "/form/0/static/../form.html",
    "/form/0/static/../../__init__.py",
    "/form/0/static/..%2f..%2f__init__.py",
    "/form/0/static/%2e%2e/%2e%2e/__init__.py",
    "/form/0/static/....//....//__init__.py",
    "/form/0/static/..%5c..%5c__init__.py",
    "/form/0/static//etc/passwd",
    "/form/0/static/%2fetc%2fpasswd",
    "/form/0/static/app/main.js%00.html",
    "/form/0/static/" + "a/" * 2000,
    "/form/0/translations/..%2f..%2fwords%2fsv.json",
    "/form/0/translations/../static/app.js%3f.json",
    "/static/..%2f__init__.py",
    "/static/../../pyproject.toml",
    "/static/verify/..%2f..%2f__init__.py",
    "/static/verify/%252e%252e/__init__.py",
    "/.git/config",
    "/pyproject.toml",
    "/verify.py/../access.py",
]


@pytest.mark.parametrize("path", TRAVERSAL_PATHS)
def test_no_path_leads_out_of_the_public_files(server: ServerProcess, path: str) -> None:
    status, raw = send_bytes(
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
    "a bare carriage return": b"X-A: b\rX-B: c\r\n\r\n",
    "a chunk that is none": b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk without an end": b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n",
}


START = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\n"
BODY = json.dumps({"game": "polskt_pass", "players": FOUR_PLAYERS}).encode()
HIDDEN = b"GET /v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("case", SMUGGLED)
def test_no_request_is_smuggled_inside_another(server: ServerProcess, case: str) -> None:
    """The server refuses the first request and closes the connection without reading on."""
    (status,) = statuses_until_closed(server, START + SMUGGLED[case] + HIDDEN)
    assert 400 <= status < 500
    assert send_bytes(server, HIDDEN)[0] == 200


@pytest.mark.parametrize("declared", [len(BODY) + 1, 100_000])
def test_a_body_that_ends_early_is_refused(server: ServerProcess, declared: int) -> None:
    """The client closes its half of the connection. What came is a whole session all the same."""
    headers = b"Content-Type: application/json\r\nIdempotency-Key: %s\r\n" % uuid4().hex.encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(START + headers + b"Content-Length: %d\r\n\r\n" % declared + BODY)
        connection.shutdown(socket.SHUT_WR)
        raw = b"".join(iter(lambda: connection.recv(65536), b""))
    assert raw.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in raw


def test_an_underscore_is_no_hyphen_in_the_name_of_a_header(server: ServerProcess) -> None:
    """A proxy that drops or sets `X-Forwarded-For` would let `X_Forwarded_For` pass."""
    headers = b"Idempotency_Key: k1\r\nContent-Type: application/json\r\nConnection: close\r\n"
    status, raw = send_bytes(server, START + headers + b"Content-Length: 2\r\n\r\n{}")
    assert status == 400
    assert b"idempotency_key_missing" in raw


@pytest.mark.parametrize("value", ["Åsa betalar".encode(), "Åsa betalar".encode("latin-1")])
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        (b"Idempotency-Key: %s\r\n", b"idempotency_key_malformed"),
        (b'Idempotency-Key: Ada pays\r\nIf-Match: "%s"\r\n', b"if_match_malformed"),
    ],
)
def test_a_header_that_is_not_ascii_is_malformed(
    server: ServerProcess, headers: bytes, value: bytes, code: bytes
) -> None:
    path = f"POST /v1/sessions/{uuid4()}/actions HTTP/1.1\r\nHost: x\r\n".encode()
    rest = b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    status, raw = send_bytes(server, path + headers % value + rest)
    assert status == 400
    assert code in raw


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Real-IP"])
@pytest.mark.parametrize("value", [b"203.0.113.5", b"\xe5, 203.0.113.5", "å, 203.0.113.5".encode()])
def test_a_client_of_a_proxy_cannot_pose_as_a_client_on_this_machine(
    server: ServerProcess, name: str, value: bytes
) -> None:
    """A proxy that extends the header sends the client's own part of it as it is."""
    start = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    assert send_bytes(server, start + b"\r\n")[0] == 200
    status, _ = send_bytes(server, start + b"%s: %s\r\n\r\n" % (name.encode(), value))
    assert status == 404


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games?" + "a" * 20_000])
def test_long_headers_are_refused_unparsed(server: ServerProcess, path: str) -> None:
    """Header parsers take long for a header of 400 KiB, and nobody else is answered meanwhile."""
    header = "" if "?" in path else f"Accept: {'a/b,' * 5000}\r\n"
    raw = f"GET {path} HTTP/1.1\r\nHost: x\r\n{header}\r\n".encode()
    assert statuses_until_closed(server, raw) == [431]


def test_a_bare_line_feed_ends_a_header_line(server: ServerProcess) -> None:
    """RFC 9112 §2.2 allows it. The next line is a header then, and its length counts: what follows
    is a body. Without a length, what follows the empty line is a request of its own."""
    length = b"X-A: b\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN)
    assert statuses_until_closed(server, START + length + HIDDEN) == [415]
    assert statuses_until_closed(server, START + b"X-A: b\nX-B: c\r\n\r\n" + HIDDEN) == [415, 200]


def test_a_server_reveals_neither_its_software_nor_its_version(server: ServerProcess) -> None:
    for path in ("/", "/v1/games", "/v1/nothing"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("GET", path)
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        response.read()
        connection.close()
        assert not re.search(r"\d|flask|werkzeug|python", headers.get("server", ""), re.IGNORECASE)
        assert "x-powered-by" not in headers
        assert {name: headers.get(name.lower()) for name in HEADERS} == HEADERS


def test_trace_and_connect_are_refused(server: ServerProcess) -> None:
    for start in (b"TRACE / HTTP/1.1", b"CONNECT evil.example:443 HTTP/1.1", b"DEBUG / HTTP/1.1"):
        status, raw = send_bytes(
            server, start + b"\r\nHost: x\r\nX-Secret: told\r\nConnection: close\r\n\r\n"
        )
        assert status == 0 or status >= 400, (start, raw[:200])
        assert b"told" not in raw


def statuses_until_closed(server: ServerProcess, request: bytes) -> list[int]:
    """Send these bytes unchanged. Return the statuses of all responses until the server closes the
    connection; TimeoutError if it does not."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        raw = b"".join(iter(lambda: connection.recv(65536), b""))
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", raw)]


def send_bytes(server: ServerProcess, request: bytes) -> tuple[int, bytes]:
    """Send these bytes unchanged. Return the status, 0 if no response comes, and all bytes
    received."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.settimeout(3)
        connection.sendall(request)
        raw = b""
        try:
            while piece := connection.recv(65536):
                raw += piece
                if b"HTTP/1." in raw and b"\r\n\r\n" in raw and b"onnection: close" not in request:
                    break
        except (TimeoutError, ConnectionResetError):
            pass
    status_line = re.match(rb"HTTP/1\.[01] (\d{3})", raw)
    return (int(status_line[1]) if status_line else 0), raw
