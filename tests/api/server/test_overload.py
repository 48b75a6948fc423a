"""Requests that can be answered are answered despite too many, too slow or disconnected clients.
The tests use a real server and do not measure time closely; `make bench-overload` does."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from contextlib import suppress

import psycopg
import pytest

from api.representations.openapi_document import encode_document
from api.resources import imports
from api.resources.change_feed import MAX_STREAMS_PER_SESSION
from api.server import request_buffer as uploads
from api.server import response_buffer, rsgi_adapter
from tests.support.api.socket_clients import (
    SESSION_BODY,
    Connection,
    ConnectionCut,
    open_session,
    request,
    run_and_close,
    stall,
)
from tests.support.databases import DatabaseUrls, valkey_url
from tests.support.postgresql.connection_gate import ConnectionGate
from tests.support.server_process import run_server

SLOW_CLIENTS = 120
WAITING_INSERTS = """
SELECT count(*) FROM pg_stat_activity
 WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO vola.sessions%'
"""
STALLS = ("silent", "head", "body", "deaf")


@pytest.fixture
def sessions_lock(cluster, server):
    """A lock on which every read and every new session waits."""
    db = psycopg.connect(DatabaseUrls(cluster, "vola_served").super)
    db.execute("LOCK TABLE vola.sessions IN ACCESS EXCLUSIVE MODE")
    yield db
    db.close()


async def send_request(url: str, path: str, body=None, **more) -> tuple[int, dict[str, str], float]:
    """Send one request on a connection of its own; return status, headers and seconds, status 0
    if it was cut off."""
    started, line = time.monotonic(), await Connection.connect(url)
    try:
        answer = await line.ask("GET" if body is None else "POST", path, body, **more)
        return answer.status, answer.headers, time.monotonic() - started
    except ConnectionCut:
        return 0, {}, time.monotonic() - started
    finally:
        await line.close()


async def slowest(url: str, count: int) -> float:
    """Send `count` small requests at once. Return the seconds of the slowest: the current load."""
    answers = await asyncio.gather(*(send_request(url, "/healthz") for _ in range(count)))
    return max(seconds for _, _, seconds in answers)


def test_slow_clients_do_not_stop_a_normal_one(server_url):
    async def record() -> None:
        stop = asyncio.Event()
        crowd = [
            asyncio.create_task(stall(server_url, STALLS[n % 4], stop)) for n in range(SLOW_CLIENTS)
        ]
        await asyncio.sleep(0)
        line = await Connection.connect(server_url)
        for _ in range(20):
            path, token = await open_session(line)
            assert (await line.ask("GET", path, token=token)).status == 200
        await line.close()
        stop.set()
        assert Counter(await asyncio.gather(*crowd)).keys() <= {"open", "hung up"}

    run_and_close(record())


def test_a_body_that_does_not_arrive_is_refused_as_too_slow(server_url):
    async def send_part() -> None:
        line = await Connection.connect(server_url)
        line.writer.write(request("POST", "/v1/sessions", SESSION_BODY)[:-10])
        answer = await asyncio.wait_for(line.answer(), 3 * uploads.IDLE_SECONDS)
        assert (answer.status, answer.json["code"]) == (408, "too_slow")
        assert "x-request-id" in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"

    run_and_close(send_part())


def test_an_endless_body_is_refused_and_the_next_request_answered(server_url):
    async def send_endless() -> None:
        line = await Connection.connect(server_url)
        endless = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        keyed = {**endless, "Idempotency-Key": "k" * 22}
        line.writer.write(request("POST", "/v1/sessions", headers=keyed))
        for _ in range(300):
            line.writer.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
        line.writer.write(b"0\r\n\r\n")
        answer = await line.answer()
        assert (answer.status, answer.json["code"]) == (413, "too_large")
        assert (await send_request(server_url, "/healthz"))[0] == 200

    run_and_close(send_endless())


def test_stalled_imports_do_not_stop_recording(server_url):
    """Eleven addresses each send a file of the largest size except for its last bytes."""
    length = imports.MAX_BYTES

    async def stall_import(number: int) -> Connection:
        line = await Connection.connect(server_url)
        headers = {"Content-Type": "application/json", "Idempotency-Key": f"stalled-{number:020}"}
        headers |= {"Content-Length": str(length), "X-Forwarded-For": f"203.0.113.{number}"}
        line.writer.write(request("POST", "/v1/imports", headers=headers))
        for _ in range(length // 2**20):
            line.writer.write(b" " * (2**20 - 1))
            await line.writer.drain()
        return line

    async def record() -> None:
        lines = await asyncio.gather(*map(stall_import, range(11)))
        for _ in range(20):
            line = await Connection.connect(server_url)
            await open_session(line)
            await line.close()
        refused = [line for line in lines if line.reader._buffer]  # type: ignore[attr-defined]
        assert refused
        for line in refused:
            answer = await line.answer()
            assert (answer.status, answer.json["code"]) == (503, "busy")
            assert int(answer.headers["retry-after"]) > 0

    run_and_close(record())


def test_a_declared_length_that_is_too_large_is_refused_before_the_body(server_url):
    async def send_head(path: str, headers: dict[str, str]) -> tuple[int, str]:
        line = await Connection.connect(server_url)
        kind = {"Content-Type": "application/json", "Idempotency-Key": "k" * 22}
        line.writer.write(request("POST", path, headers={**kind, **headers}))
        answer = await asyncio.wait_for(line.answer(), 60)
        await line.close()
        return answer.status, answer.json["code"]

    async def assert_refused() -> None:
        assert await send_head("/v1/sessions", {"Content-Length": "131073"}) == (413, "too_large")
        assert await send_head("/v1/imports", {"Content-Length": "16777217"}) == (413, "too_large")
        assert await send_head("/v1/nothing", {"Content-Length": "131073"}) == (404, "not_found")
        text_head = {"Content-Length": "131073", "Content-Type": "text/plain"}
        assert await send_head("/v1/sessions", text_head) == (415, "unsupported_media_type")

    run_and_close(assert_refused())


def test_a_body_that_is_too_large_keeps_the_connection_open(server_url):
    async def send_large() -> None:
        for size in (200_000, 2**20, 17 * 2**20):
            line = await Connection.connect(server_url)
            keyed = {"Idempotency-Key": "k" * 22}
            answer = await line.ask("POST", "/v1/sessions", "x" * size, keyed)
            assert (answer.status, answer.json["code"]) == (413, "too_large")
            assert (await line.ask("GET", "/healthz")).status == 200
            await line.close()

    run_and_close(send_large())


def test_a_long_answer_reaches_a_slow_reader_in_full(server_url):
    async def read_slowly() -> None:
        line, contract = (
            await Connection.connect(server_url, narrow=True),
            encode_document().encode(),
        )
        assert len(contract) > response_buffer.MAX_IN_MEMORY_BYTES
        line.writer.write(request("GET", "/openapi.yaml"))
        assert b"200 OK" in await line.reader.readuntil(b"\r\n\r\n")
        read = bytearray()
        while len(read) < len(contract):
            read += await line.reader.readexactly(min(5000, len(contract) - len(read)))
            await asyncio.sleep(0.001)
        assert bytes(read) == contract
        next_answer = await line.ask("GET", "/healthz")
        assert next_answer.status == 200

    run_and_close(read_slowly())


def test_requests_beyond_the_limit_are_refused_while_others_wait(server_url, sessions_lock):
    async def crowd() -> None:
        usual = await slowest(server_url, 300)
        tasks = [
            asyncio.create_task(send_request(server_url, "/v1/sessions", SESSION_BODY))
            for _ in range(300)
        ]
        for refused, task in enumerate(asyncio.as_completed(tasks), start=1):
            status, headers, seconds = await task
            assert (status, headers["retry-after"]) == (503, "2")
            assert headers["content-type"] == "application/problem+json"
            if refused == 1:
                assert seconds < 5 + usual
                assert (await send_request(server_url, "/healthz"))[0] == 200
                assert (await send_request(server_url, "/form/0/translations/sv.json"))[0] == 200
            if refused == 300 - 4 * rsgi_adapter.THREADS:  # no more than two processes are at work
                break
        sessions_lock.rollback()
        statuses = Counter([(await finished)[0] for finished in tasks])
        assert statuses.keys() == {201, 503}, statuses
        assert statuses[201] >= rsgi_adapter.THREADS, statuses

    run_and_close(crowd())


def test_while_the_database_is_away_every_request_is_refused_soon(
    urls, environment, valkey, tmp_path
):
    gate = ConnectionGate(urls.app)
    settings = {"DATABASE_URL": gate.url, "REDIS_URL": valkey_url(valkey, 3)}
    with run_server({**environment, **settings}, tmp_path / "log") as server:

        async def lose_database() -> None:
            line = await Connection.connect(server.url)
            path, token = await open_session(line)
            await line.close()
            usual = await slowest(server.url, 100)
            gate.set_state("shut")
            await send_request(server.url, path, token=token)  # the first one may wait
            crowd = [send_request(server.url, path, token=token) for _ in range(100)]
            answers = await asyncio.gather(*crowd)
            assert Counter(status for status, _, _ in answers) == {503: 100}
            assert all(int(headers["retry-after"]) > 0 for _, headers, _ in answers)
            # a request that waited for the pool to give up would take ten seconds
            assert max(seconds for _, _, seconds in answers) < 8 + 4 * usual
            gate.set_state("open")
            deadline = time.monotonic() + 120
            while (await send_request(server.url, path, token=token))[0] != 200:
                assert time.monotonic() < deadline

        run_and_close(lose_database())
    gate.close()


async def open_stream(url: str, path: str, token: str) -> Connection:
    line = await Connection.connect(url)
    line.writer.write(request("GET", f"{path}/stream", token=token))
    head = await line.reader.readuntil(b"\r\n\r\n")
    line.status = int(head.split()[1])
    return line


def test_a_change_reaches_every_stream_and_a_closed_one_makes_room(server_url):
    async def receive_changes() -> None:
        line = await Connection.connect(server_url)
        path, token = await open_session(line)
        lines = [
            await open_stream(server_url, path, token) for _ in range(3 * MAX_STREAMS_PER_SESSION)
        ]
        statuses = Counter(stream.status for stream in lines)
        assert statuses.keys() == {200, 503}, statuses
        assert statuses[200] <= 2 * MAX_STREAMS_PER_SESSION  # two processes
        answer = await line.ask(
            "POST",
            f"{path}/actions",
            {"actions": [{"type": "open_deal", "number": 1}]},
            token=token,
        )
        version = answer.headers["etag"].strip('"').encode()
        for stream in lines:
            if stream.status == 200:
                async for _, piece in stream.chunks():
                    if b"id: " + version + b"\n" in piece:
                        break
            await stream.close()
        deadline = time.monotonic() + 60
        while (reopened := await open_stream(server_url, path, token)).status != 200:
            await reopened.close()
            assert time.monotonic() < deadline
        await reopened.close()
        await line.close()

    run_and_close(receive_changes())


def test_a_server_that_stops_ends_streams_and_finishes_requests(
    urls, environment, valkey, tmp_path
):
    environment["REDIS_URL"] = valkey_url(valkey, 3)
    with run_server(environment, tmp_path / "log") as server:

        async def stop_server() -> None:
            line = await Connection.connect(server.url)
            path, token = await open_session(line)
            stream = await open_stream(server.url, path, token)
            with psycopg.connect(urls.super) as db:
                db.execute("LOCK TABLE vola.sessions IN ACCESS EXCLUSIVE MODE")
                opening = asyncio.create_task(
                    send_request(server.url, "/v1/sessions", SESSION_BODY)
                )
                await wait_for_rows(urls, WAITING_INSERTS)
                os.kill(server.process.pid, signal.SIGTERM)
                async for _ in stream.chunks():
                    pass  # read to the regular end of the stream
            assert (await opening)[0] == 201
            assert await asyncio.to_thread(server.process.wait, 120) is not None
            with suppress(ConnectionCut):
                await line.ask("GET", "/healthz")
                pytest.fail("the server still answers")

        run_and_close(stop_server())
    assert "Traceback" not in (tmp_path / "log").read_text()


async def wait_for_rows(urls: DatabaseUrls, query: str) -> None:
    deadline = time.monotonic() + 60
    with psycopg.connect(urls.super, autocommit=True) as db:
        while db.execute(query).fetchone() == (0,):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)  # polling, with a deadline
