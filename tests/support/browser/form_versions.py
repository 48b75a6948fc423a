"""A server before the server, which serves a newer version of the form, as after an upgrade."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

NEWER_DIGEST = "0123456789abcdef"
SENTENCE = "Korten ligger på bordet."
NEWER_SENTENCE = "Korten ligger på ett nytt bord."
WORKER_PATH = "/form/worker.js"
OWN_HEADERS = {"connection", "content-length", "transfer-encoding", "date", "server"}
"""The headers that this server writes itself."""


class FormServer(ThreadingHTTPServer):
    """Passes requests on to the server at `url`. Once `newer_paths` is set, the files that it
    matches are of a version with another digest and another first sentence."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), FormHandler)
        self.behind = urlsplit(url).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.digest = ""
        self.newer_paths = re.compile("(?!)")

    def publish_newer_form(self, paths: str = "") -> None:
        """Serve the newer version, by default of all files."""
        self.newer_paths = re.compile(paths)

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing about a page that was closed before its answer."""


class FormHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FormServer

    def pass_on(self) -> None:
        if self.path.endswith("/stream"):  # never ends; the form asks again and again instead
            self.send_error(503)
            return
        is_newer = self.server.newer_paths.match(self.path)
        path = self.path.replace(NEWER_DIGEST, self.server.digest) if is_newer else self.path
        headers = {**self.headers, "Accept-Encoding": "identity", "Connection": "close"}
        if not path.startswith("/v1/"):
            headers.pop("If-None-Match", None)  # the newer version has the same ETags
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = HTTPConnection(self.server.behind)
        connection.request(self.command, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if path == WORKER_PATH:
            self.server.digest = self.server.digest or read_digest(content)
        if is_newer and (path == "/" or path.endswith((".js", ".json"))):
            text = content.decode().replace(SENTENCE, NEWER_SENTENCE)
            content = text.replace(self.server.digest, NEWER_DIGEST).encode()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OWN_HEADERS:
                self.send_header(name, value)
        self.send_header("Content-Length", f"{len(content)}")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = pass_on

    def log_message(self, format: str, *arguments: object) -> None:
        """Print no line for each request."""


def read_digest(worker: bytes) -> str:
    found = re.search(rb"const VERSION = '(\w+)'", worker)
    assert found
    return found[1].decode()


@contextmanager
def run_form_server(url: str) -> Iterator[FormServer]:
    server = FormServer(url)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
