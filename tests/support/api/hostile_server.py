"""A hostile server instead of an honest book: a function returns its answer to each request."""

from __future__ import annotations

import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.certificates import HOST

Answer = Sequence[bytes]
"""The pieces of a response, from the status line on."""
Handler = Callable[[BaseHTTPRequestHandler], Answer]

STOP_SECONDS = 0.02
"""Seconds after which the server notices, at the latest, that it shall stop."""


def json_answer(body: bytes, status: str = "200 OK") -> Answer:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return [head.encode() + b"Connection: close\r\n\r\n", body]


@contextmanager
def hostile_server(handle: Handler, certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """Run the server on a free port, and yield its URL."""

    class RequestHandler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.close_connection = True
            with suppress(OSError):  # the client may go away
                for piece in handle(self):
                    self.wfile.write(piece)

        do_GET = do_PUT = answer

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer((HOST, 0), RequestHandler)
    server.daemon_threads = True
    scheme = "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    threading.Thread(target=server.serve_forever, args=(STOP_SECONDS,), daemon=True).start()
    try:
        yield f"{scheme}://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def forward(url: str, request: BaseHTTPRequestHandler) -> Answer:
    """Return the answer of the server at `url` to the same request."""
    length = int(request.headers.get("Content-Length") or 0)
    headers = {
        n: request.headers[n] for n in ("Authorization", "Content-Type") if n in request.headers
    }
    forwarded = urllib.request.Request(
        url + request.path, request.rfile.read(length) or None, headers, method=request.command
    )
    try:
        with urllib.request.urlopen(forwarded, timeout=30) as answer:
            return json_answer(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return json_answer(error.read(), f"{error.code} Refused")
