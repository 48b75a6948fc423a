"""`vola demo` at a busy server: it waits as long as the server asks, and retries."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import pytest

from api.cli import http_client
from api.cli.commands.demo import record_session
from api.cli.refusal import Refusal

OPENED_SESSION = {"id": "it", "tokens": {"host": "right"}}
BUSY = {"code": "too_many_requests"}


@contextmanager
def run_stub_server(*answers):
    """Run a server that gives these answers in order; yield its URL and the idempotency keys that
    it received."""
    pending, keys = list(answers), []

    class StubHandler(BaseHTTPRequestHandler):
        def do_POST(self):
            keys.append(self.headers["Idempotency-Key"])
            self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, body = pending.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), StubHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", keys
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def waits(monkeypatch):
    seconds = []
    monkeypatch.setattr(http_client, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


def test_a_busy_server_is_asked_again_after_its_retry_after(waits, capsys):
    busy = (429, {"Retry-After": "7"}, BUSY), (503, {"Retry-After": "2"}, BUSY)
    with run_stub_server(*busy, (201, {}, OPENED_SESSION)) as (url, keys):
        record_session(url, deals=0, seed=1)
    assert waits == [7, 2]
    assert len(keys) == 3
    assert len(set(keys)) == 1, "another key would open a second session"
    assert "#/s/it/right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (429, {"Retry-After": "3600"}),
        (429, {"Retry-After": "9" * 5000}),
        (503, {}),
        (503, {"Retry-After": "soon"}),
        (404, {"Retry-After": "1"}),
    ],
)
def test_a_refusal_without_a_short_retry_after_is_final(waits, status, headers):
    with (
        run_stub_server((status, headers, BUSY)) as (url, _),
        pytest.raises(Refusal, match="too_many_requests"),
    ):
        record_session(url, deals=0, seed=1)
    assert waits == []


def test_a_server_that_stays_busy_is_given_up(waits):
    busy = (503, {"Retry-After": "1"}, BUSY)
    with (
        run_stub_server(*[busy] * http_client.MOST_TRIES) as (url, keys),
        pytest.raises(Refusal, match="refused"),
    ):
        record_session(url, deals=0, seed=1)
    assert len(keys) == http_client.MOST_TRIES == len(waits) + 1
