"""Responses made in full before they are sent: short ones in memory, long ones in a file that is
sent in chunks as fast as the client reads. The thread that made a response is free long before.

Knows nothing of what a response contains.
"""

import tempfile
from collections.abc import Iterable
from typing import Any

MAX_IN_MEMORY_BYTES = 256 * 1024
CHUNK_BYTES = 64 * 1024

Headers = list[tuple[str, str]]


class FileBody:
    """A body in a file until it has been sent. The file has no name, so it never outlives the
    process, and is never opened by its descriptor, whose number another file may have by then."""

    def __init__(self, start: bytes) -> None:
        self._file = tempfile.TemporaryFile(prefix="vola-")  # noqa: SIM115  # closed by `close`
        self.size = 0
        self.write(start)

    def write(self, chunk: bytes) -> None:
        self.size += self._file.write(chunk)

    def rewind(self) -> None:
        """Return to the beginning, to read the body."""
        self._file.seek(0)

    def read(self) -> bytes:
        """Return the next chunk; nothing at the end."""
        return self._file.read(CHUNK_BYTES)

    def close(self) -> None:
        self._file.close()


async def send_file(proto: Any, status: int, headers: Headers, body: FileBody) -> None:
    """Send a long response over granian's RSGI, waiting for the client before each chunk."""
    other_headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
    transport = proto.response_stream(status, [*other_headers, ("Content-Length", str(body.size))])
    try:
        while chunk := body.read():
            await transport.send_bytes(chunk)
    finally:
        body.close()


def buffer_body(chunks: Iterable[bytes]) -> bytes | FileBody:
    """Return all chunks in one; in a file if they are more than MAX_IN_MEMORY_BYTES. Closes
    `chunks`."""
    start, size, file = list[bytes](), 0, None
    try:
        for chunk in chunks:
            if file:
                file.write(chunk)
                continue
            start.append(chunk)
            size += len(chunk)
            if size > MAX_IN_MEMORY_BYTES:
                file, start = FileBody(b"".join(start)), []
    except BaseException:
        if file:
            file.close()
        raise
    finally:
        close_body(chunks)
    if not file:
        return b"".join(start)
    file.rewind()
    return file


def close_body(chunks: Iterable[bytes]) -> None:
    """Close a WSGI body, as WSGI asks of the server."""
    if hasattr(chunks, "close"):
        chunks.close()
