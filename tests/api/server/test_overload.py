"""Too many at once, too slow, or gone: who asks for what can be answered is answered all the same.

Against a real server. Nothing here measures time closely; `make bench-overload` does.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from api import answering, live, reception
from tests.conftest import Urls, rung_apart, serving
from tests.crowd import EVENING, Cut, Line, meet, open_evening, request, stall
from tests.ledger.test_database import Gate

SLOW = 120
OPENING = """
SELECT count(*) FROM pg_stat_activity
 WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO vola.sessions%'
"""
CONTRACT = Path(__file__).parents[1] / "openapi.yaml"
STALLS = ("silent", "head", "body", "deaf")


@pytest.fixture
def held(cluster, server):
    """While this is entered, nobody reads or opens an evening: whoever tries waits."""
    db = psycopg.connect(Urls(cluster, "vola_served").super)
    db.execute("LOCK TABLE vola.sessions IN ACCESS EXCLUSIVE MODE")
    yield db
    db.close()


async def asked(url: str, path: str, body=None, **more) -> tuple[int, dict[str, str], float]:
    """Status, headers and seconds of one request on a line of its own; status 0 if it was cut."""
    began, line = time.monotonic(), await Line.to(url)
    try:
        said = await line.ask("GET" if body is None else "POST", path, body, **more)
        return said.status, said.headers, time.monotonic() - began
    except Cut:
        return 0, {}, time.monotonic() - began
    finally:
        await line.close()


def test_slow_clients_do_not_stop_a_normal_one(server_url):
    async def evening() -> None:
        stop = asyncio.Event()
        crowd = [asyncio.create_task(stall(server_url, STALLS[n % 4], stop)) for n in range(SLOW)]
        await asyncio.sleep(0)
        line = await Line.to(server_url)
        for _ in range(20):
            here, token = await open_evening(line)
            assert (await line.ask("GET", here, token=token)).status == 200
        await line.close()
        stop.set()
        assert Counter(await asyncio.gather(*crowd)).keys() <= {"open", "hung up"}

    meet(evening())


def test_a_body_that_does_not_come_is_told_so(server_url):
    async def slow() -> None:
        line = await Line.to(server_url)
        line.writer.write(request("POST", "/v1/sessions", EVENING)[:-10])
        said = await asyncio.wait_for(line.answer(), 3 * reception.BODY_SECONDS)
        assert (said.status, said.json["code"]) == (408, "too_slow")
        assert "x-request-id" in said.headers
        assert said.headers["x-content-type-options"] == "nosniff"

    meet(slow())


def test_a_body_longer_than_anything_is_refused_and_the_next_request_is_not(server_url):
    async def long() -> None:
        line = await Line.to(server_url)
        endless = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        keyed = {**endless, "Idempotency-Key": "long"}
        line.writer.write(request("POST", "/v1/sessions", headers=keyed))
        for _ in range(300):
            line.writer.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
        line.writer.write(b"0\r\n\r\n")
        said = await line.answer()
        assert (said.status, said.json["code"]) == (413, "too_large")
        assert (await asked(server_url, "/healthz"))[0] == 200

    meet(long())


def test_a_long_answer_reaches_who_reads_slowly_whole(server_url):
    async def slowly() -> None:
        line, wanted = await Line.to(server_url, narrow=True), CONTRACT.read_bytes()
        assert len(wanted) > answering.IN_MEMORY
        line.writer.write(request("GET", "/openapi.yaml"))
        assert b"200 OK" in await line.reader.readuntil(b"\r\n\r\n")
        read = bytearray()
        while len(read) < len(wanted):
            read += await line.reader.readexactly(min(5000, len(wanted) - len(read)))
            await asyncio.sleep(0.001)
        assert bytes(read) == wanted
        again = await line.ask("GET", "/healthz")
        assert again.status == 200

    meet(slowly())


def test_more_than_can_be_answered_is_refused_at_once_and_the_rest_answered(server_url, held):
    async def crowd() -> None:
        everybody = [
            asyncio.create_task(asked(server_url, "/v1/sessions", EVENING)) for _ in range(300)
        ]
        for refused, early in enumerate(asyncio.as_completed(everybody), start=1):
            status, headers, seconds = await early
            assert (status, headers["retry-after"]) == (503, "2")
            assert headers["content-type"] == "application/problem+json"
            if refused == 1:
                assert seconds < 5
                assert (await asked(server_url, "/healthz"))[0] == 200
                assert (await asked(server_url, "/form/translations/sv.json"))[0] == 200
            if refused == 300 - 4 * reception.THREADS:  # no more than two processes are at work
                break
        held.rollback()
        told = Counter([(await one)[0] for one in everybody])
        assert told.keys() == {201, 503}, told
        assert told[201] >= reception.THREADS, told

    meet(crowd())


def test_while_the_database_is_away_everybody_is_told_so_soon(urls, bell, data, tmp_path):
    gate = Gate(urls.app)
    environment = {
        "DATABASE_URL": gate.url,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 3),
        "VOLA_DATA": str(data),
    }
    with serving(environment, tmp_path / "log") as server:

        async def away() -> None:
            line = await Line.to(server.url)
            here, token = await open_evening(line)
            await line.close()
            gate.become("shut")
            await asked(server.url, here, token=token)  # whoever finds out may wait
            crowd = [asked(server.url, here, token=token) for _ in range(100)]
            told = await asyncio.gather(*crowd)
            assert Counter(status for status, _, _ in told) == {503: 100}
            assert all(int(headers["retry-after"]) > 0 for _, headers, _ in told)
            assert max(seconds for _, _, seconds in told) < 8  # one patient wait for the pool is 10
            gate.become("open")
            deadline = time.monotonic() + 30
            while (await asked(server.url, here, token=token))[0] != 200:
                assert time.monotonic() < deadline

        meet(away())
    gate.close()


async def listened(url: str, here: str, token: str) -> Line:
    line = await Line.to(url)
    line.writer.write(request("GET", f"{here}/stream", token=token))
    head = await line.reader.readuntil(b"\r\n\r\n")
    line.status = int(head.split()[1])
    return line


def test_a_change_reaches_who_listens_and_who_leaves_makes_room(server_url):
    async def listening() -> None:
        line = await Line.to(server_url)
        here, token = await open_evening(line)
        lines = [await listened(server_url, here, token) for _ in range(3 * live.OF_ONE_EVENING)]
        told = Counter(each.status for each in lines)
        assert told.keys() == {200, 503}, told
        assert told[200] <= 2 * live.OF_ONE_EVENING  # two processes
        written = await line.ask(
            "POST",
            f"{here}/actions",
            {"actions": [{"type": "open_deal", "number": 1}]},
            token=token,
        )
        version = written.headers["etag"].strip('"').encode()
        for each in lines:
            if each.status == 200:
                async for _, piece in each.chunks():
                    if b"id: " + version + b"\n" in piece:
                        break
            await each.close()
        deadline = time.monotonic() + 10
        while (again := await listened(server_url, here, token)).status != 200:
            await again.close()
            assert time.monotonic() < deadline
        await again.close()
        await line.close()

    meet(listening())


def test_who_stops_in_good_order_ends_streams_and_finishes_what_it_has_begun(
    urls, bell, data, tmp_path
):
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 3),
        "VOLA_DATA": str(data),
    }
    with serving(environment, tmp_path / "log") as server:

        async def stopping() -> None:
            line = await Line.to(server.url)
            here, token = await open_evening(line)
            stream = await listened(server.url, here, token)
            with psycopg.connect(urls.super) as db:
                db.execute("LOCK TABLE vola.sessions IN ACCESS EXCLUSIVE MODE")
                begun = asyncio.create_task(asked(server.url, "/v1/sessions", EVENING))
                await waited_for(urls, OPENING)
                os.kill(server.process.pid, signal.SIGTERM)
                async for _ in stream.chunks():
                    pass  # to its proper end, and not to a line that is cut
            assert (await begun)[0] == 201
            assert await asyncio.to_thread(server.process.wait, 20) is not None
            with suppress(Cut):
                await line.ask("GET", "/healthz")
                pytest.fail("nobody should be there")

        meet(stopping())
    assert "Traceback" not in (tmp_path / "log").read_text()


async def waited_for(urls: Urls, query: str) -> None:
    deadline = time.monotonic() + 10
    with psycopg.connect(urls.super, autocommit=True) as db:
        while db.execute(query).fetchone() == (0,):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)  # polling, with a deadline
