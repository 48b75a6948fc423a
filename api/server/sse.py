"""Sending server-sent events over granian's RSGI, without a thread."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from api.representations.event_stream import EventStream
from api.server.response_buffer import close_body

Headers = list[tuple[str, str]]


async def send_stream(
    proto: Any, status: int, headers: Headers, stream: EventStream, body: Iterable[bytes]
) -> None:
    """Send a stream over granian's RSGI until it is over or the client has gone, then close
    `body`, the WSGI response that wraps it."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended, and its clients with it
            loop.call_soon_threadsafe(news.set)

    transport = proto.response_stream(status, headers)
    disconnect = asyncio.ensure_future(proto.client_disconnect())
    disconnect.add_done_callback(lambda _: news.set())
    stream.wake = wake
    try:
        while not stream.is_over and not disconnect.done():
            news.clear()
            if chunk := stream.next_chunk():
                await transport.send_bytes(chunk)
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), stream.wait_seconds)
    finally:
        disconnect.cancel()
        close_body(body)
