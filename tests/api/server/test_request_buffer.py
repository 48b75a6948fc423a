"""Limits of a request body: length, duration and total memory (tested without a server)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from api.http.problems import Problem, busy, overloaded
from api.server import request_buffer as uploads
from api.server.request_buffer import MemoryBudget, Upload
from tests.support.api.socket_clients import run_in_thread

CHUNKED = {"HTTP_TRANSFER_ENCODING": "chunked"}
LARGE = 16 * 1024 * 1024
ADA, BO = "203.0.113.7", "198.51.100.9"


class StubSender:
    """A request with the interface of granian: it sends these pieces, then ends or stalls."""

    def __init__(self, *pieces: bytes, stalls: bool = False) -> None:
        self._pieces, self._stalls, self.sent = pieces, stalls, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.sent += len(piece)
            yield piece
            await asyncio.sleep(0)
        if self._stalls:
            await asyncio.Event().wait()

    async def __call__(self) -> bytes:
        return b"".join([piece async for piece in self])


def declared_length(length: int) -> dict[str, str]:
    return {"CONTENT_LENGTH": str(length)}


def receive_body(environ: dict[str, str], sender: StubSender, limit: int = 100_000) -> bytes:
    return bytes(run_in_thread(Upload(environ, sender).receive(limit, lambda _: None)))


@pytest.fixture
def short_idle_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the idle time after which a silent sender is refused."""
    monkeypatch.setattr(uploads, "IDLE_SECONDS", 0.05)


def test_a_declared_length_that_is_too_large_is_not_read() -> None:
    sender = StubSender(b"x" * 100_001)
    assert receive_body(declared_length(100_001), sender) == b""
    assert sender.sent == 0


def test_a_body_without_a_length_is_read_up_to_the_limit() -> None:
    sender = StubSender(*[b"x" * 60_000] * 50)
    assert len(receive_body(CHUNKED, sender)) == 100_001
    assert sender.sent == 120_000


@pytest.mark.parametrize("length", [10_000, 90_000])
def test_a_body_within_the_limit_is_read_in_full(length: int) -> None:
    pieces = b"a" * (length - 3), b"bcd"
    for environ in (declared_length(length), CHUNKED):
        assert receive_body(environ, StubSender(*pieces)) == b"".join(pieces)


@pytest.mark.usefixtures("short_idle_time")
@pytest.mark.parametrize("environ", [declared_length(10_000), declared_length(90_000), CHUNKED])
def test_a_silent_sender_is_refused_however_much_was_sent(environ: dict[str, str]) -> None:
    """A sender of 16 MiB less ten bytes could once stay silent for a quarter of an hour."""
    sender, started = StubSender(b"x" * (LARGE - 10), stalls=True), time.monotonic()
    with pytest.raises(Problem) as refused:
        receive_body(environ, sender, LARGE)
    assert time.monotonic() - started < uploads.MAX_UPLOAD_SECONDS / 2
    assert (refused.value.status, refused.value.code) == (408, "too_slow")
    assert refused.value.headers["Connection"] == "close"


def test_a_slow_trickle_is_refused_after_the_maximum_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    class TricklingSender(StubSender):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                clock[0] += uploads.IDLE_SECONDS - 1
                self.sent += 1
                yield b"x" * 20 * uploads.MIN_BYTES_PER_SECOND
                await asyncio.sleep(0)

    async def receive_trickle() -> bytes | bytearray:
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: clock[0])
        return await Upload(CHUNKED, sender).receive(2**30, lambda _: None)

    sender = TricklingSender()
    with pytest.raises(Problem, match="too_slow"):
        run_in_thread(receive_trickle())
    assert clock[0] <= uploads.MAX_UPLOAD_SECONDS + uploads.IDLE_SECONDS


def test_an_unread_body_is_discarded_so_that_the_answer_can_be_read() -> None:
    async def count_discarded(environ: dict[str, str], sender: StubSender) -> int:
        upload = Upload(environ, sender)
        await upload.receive(100_000, lambda _: None)
        await upload.discard()
        return sender.sent

    for environ in (declared_length(3_000_000), CHUNKED):
        assert (
            run_in_thread(count_discarded(environ, StubSender(*[b"x" * 60_000] * 50))) == 3_000_000
        )
    endless = StubSender(*[b"x" * 2**20] * 1000)
    max_bytes = uploads.MAX_DISCARDED_BYTES + 2 * 2**20
    assert run_in_thread(count_discarded(CHUNKED, endless)) <= max_bytes


def test_one_address_cannot_take_the_whole_memory_budget() -> None:
    budget = MemoryBudget(total_bytes=100, client_bytes=40, exhausted=busy)
    with ExitStack() as shares:
        reserve_ada = shares.enter_context(budget.reservation(ADA))
        reserve_ada(40)
        with pytest.raises(Problem) as refused, budget.reservation(ADA) as reserve_again:
            reserve_again(1)
        assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "10")
        with budget.reservation(BO) as reserve_bo:
            reserve_bo(40)
    with budget.reservation(ADA) as reserve_ada:
        reserve_ada(40)


def test_the_memory_budget_is_shared_and_returned() -> None:
    budget = MemoryBudget(total_bytes=100, client_bytes=40, exhausted=overloaded)
    for _ in range(3):
        with ExitStack() as shares:
            for address in range(3):
                shares.enter_context(budget.reservation(f"192.0.2.{address}"))(33)
            with pytest.raises(Problem) as refused, budget.reservation(ADA) as reserve_more:
                reserve_more(2)
            assert (refused.value.status, refused.value.code) == (503, "overloaded")
