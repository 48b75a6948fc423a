"""Responses sent without a thread: those made in full before they are sent, and event streams.

Short responses are made in memory, long ones in a file that is sent in chunks. The thread that made
a response is free long before the client has read it. Knows nothing of what a response
contains.
"""

import asyncio
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from io import SEEK_END
from typing import IO, Any

from api.representations.event_stream import EventStream

MAX_IN_MEMORY_BYTES = 256 * 1024
CHUNK_BYTES = 64 * 1024

Headers = list[tuple[str, str]]


def buffer_body(chunks: Iterable[bytes]) -> bytes | IO[bytes]:
    """Return all chunks in one; in a file if they are more than MAX_IN_MEMORY_BYTES. Closes
    `chunks`.

    The file has no name, so it never outlives the process, and is never opened by its descriptor,
    whose number another file may have by then.
    """
    buffer = tempfile.SpooledTemporaryFile(MAX_IN_MEMORY_BYTES, prefix="vola-")  # noqa: SIM115
    try:
        for chunk in chunks:
            buffer.write(chunk)
    except BaseException:
        buffer.close()
        raise
    finally:
        close_body(chunks)
    if buffer.tell() > MAX_IN_MEMORY_BYTES:
        return buffer  # `send_file` closes it
    with buffer:
        buffer.seek(0)
        return buffer.read()


async def send_file(proto: Any, status: int, headers: Headers, body: IO[bytes]) -> None:
    """Send a long response over granian's RSGI, which takes each chunk at once."""
    other_headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
    length = ("Content-Length", str(body.seek(0, SEEK_END)))
    transport = proto.response_stream(status, [*other_headers, length])
    body.seek(0)
    try:
        while chunk := body.read(CHUNK_BYTES):
            await transport.send_bytes(chunk)
    finally:
        body.close()


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


def close_body(chunks: Iterable[bytes]) -> None:
    """Close a WSGI body, as WSGI asks of the server."""
    if hasattr(chunks, "close"):
        chunks.close()
