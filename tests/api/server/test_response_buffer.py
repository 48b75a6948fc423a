"""An answer is complete before it is sent, in memory or in a file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from api.server import rsgi_adapter
from api.server.response_buffer import MAX_IN_MEMORY_BYTES, buffer_body
from api.server.rsgi_adapter import RsgiAdapter
from tests.support.api.socket_clients import run_in_thread


class StubBody:
    def __init__(self, sizes: list[int], *, broken: bool = False) -> None:
        self.sizes, self.broken, self.closed = sizes, broken, False

    def __iter__(self):
        for size in self.sizes:
            yield b"x" * size
        if self.broken:
            raise LookupError

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("sizes", [[], [3, 0, 4], [MAX_IN_MEMORY_BYTES]])
def test_a_short_answer_is_buffered_in_memory(sizes, folder):
    pieces = StubBody(sizes)
    assert buffer_body(pieces) == b"x" * sum(sizes)
    assert pieces.closed
    assert not list(folder.iterdir())


def test_a_long_answer_is_buffered_in_an_unnamed_file(folder):
    pieces = StubBody([MAX_IN_MEMORY_BYTES, 1, MAX_IN_MEMORY_BYTES])
    body = buffer_body(pieces)
    assert not isinstance(body, bytes)
    assert pieces.closed
    assert body.tell() == 2 * MAX_IN_MEMORY_BYTES + 1
    assert not list(folder.iterdir())  # no other process can open it
    body.seek(0)
    assert body.read() == b"x" * (2 * MAX_IN_MEMORY_BYTES + 1)
    body.close()


def test_a_broken_answer_leaves_no_file(folder):
    pieces = StubBody([MAX_IN_MEMORY_BYTES, 1], broken=True)
    with pytest.raises(LookupError):
        buffer_body(pieces)
    assert pieces.closed
    assert not list(folder.iterdir())


class LateReader:
    """A request with the interface of granian, which opens the file of a response only when it
    sends the response."""

    method, path, scheme, http_version = "GET", "/", "http", "1.1"
    server, client, headers = "127.0.0.1:80", "203.0.113.7:5000", {}

    def __init__(self, query_string: str) -> None:
        self.query_string, self.file = query_string, ""
        self.pieces: list[bytes] = []
        self.status = 0

    def response_bytes(self, status, headers, body) -> None:
        self.status = status

    def response_file(self, status, headers, file) -> None:
        self.file = file

    def response_stream(self, status, headers):
        self.headers, self.status = dict(headers), status
        return self

    async def send_bytes(self, piece) -> None:
        self.pieces.append(piece)

    @property
    def answer(self) -> bytes:
        return Path(self.file).read_bytes() if self.file else b"".join(self.pieces)


@pytest.mark.parametrize(("rate", "status"), [(1, 429), (2**60, 200)])
def test_a_client_that_does_not_read_is_sent_no_more(app, monkeypatch, rate, status):
    """What it does not read stays in memory; after a while it is taken for read."""
    size = 8 * 1024 * 1024

    def wsgi(environ, start):
        start("200 OK", [])
        yield b"x" * size

    monkeypatch.setattr(app, "wsgi_app", wsgi)
    monkeypatch.setattr(rsgi_adapter, "SLOW_READER_BYTES_PER_SECOND", rate)

    async def read_nothing():
        adapter = RsgiAdapter(app)
        requests = [LateReader("A") for _ in range(10)]
        requests[-1].client = "203.0.113.8:5000"
        for request in requests:
            await adapter.__rsgi__(request, request)
            await asyncio.sleep(0)  # what is due by now is done
        return [request.status for request in requests]

    assert run_in_thread(read_nothing()) == [200] * 8 + [status, 200]


def test_an_answer_opened_late_is_not_the_answer_of_another_request(app, monkeypatch):
    def wsgi(environ, start):
        start("200 OK", [])
        yield environ["QUERY_STRING"].encode() * (MAX_IN_MEMORY_BYTES + 1)

    monkeypatch.setattr(app, "wsgi_app", wsgi)

    async def answer_in_turn():
        adapter = RsgiAdapter(app)
        requests = [LateReader("A"), LateReader("B")]
        await adapter.__rsgi__(requests[0], requests[0])
        await adapter.__rsgi__(requests[1], requests[1])
        return [request.answer for request in requests]

    ada, bo = run_in_thread(answer_in_turn())
    assert (set(ada), set(bo)) == (set(b"A"), set(b"B"))
    assert len(ada) == len(bo) == MAX_IN_MEMORY_BYTES + 1
