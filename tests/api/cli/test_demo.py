"""`vola demo` at a server that is busy: it waits for as long as it is told to, and goes on."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import pytest

from api import demo
from api.settings import BadSetting

OPENED = {"id": "it", "tokens": {"host": "right"}}
BUSY = {"code": "too_many_requests"}


@contextmanager
def answering(*answers):
    """A server that gives these answers, one after the other; its address and who asked."""
    left, asked = list(answers), []

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.headers["Idempotency-Key"])
            self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, body = left.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def waited(monkeypatch):
    seconds = []
    monkeypatch.setattr(demo, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


def test_a_server_that_is_busy_is_asked_again_when_it_says_so(waited, capsys):
    busy = (429, {"Retry-After": "7"}, BUSY), (503, {"Retry-After": "2"}, BUSY)
    with answering(*busy, (201, {}, OPENED)) as (url, asked):
        demo.play(url, deals=0, seed=1)
    assert waited == [7, 2]
    assert len(asked) == 3
    assert len(set(asked)) == 1, "under another key there would be two evenings"
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
def test_a_server_that_is_not_to_be_waited_for_has_refused(waited, status, headers):
    with (
        answering((status, headers, BUSY)) as (url, _),
        pytest.raises(BadSetting, match="too_many_requests"),
    ):
        demo.play(url, deals=0, seed=1)
    assert waited == []


def test_a_server_that_stays_busy_is_given_up(waited):
    busy = (503, {"Retry-After": "1"}, BUSY)
    with (
        answering(*[busy] * demo.MOST_TRIES) as (url, asked),
        pytest.raises(BadSetting, match="refused"),
    ):
        demo.play(url, deals=0, seed=1)
    assert len(asked) == demo.MOST_TRIES == len(waited) + 1
