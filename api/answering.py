"""An answer made whole before it is sent: small ones in memory, long ones in a file that the server
sends piece by piece, at the pace of whoever reads. The thread that made it is free long before.

Knows nothing of what is in it.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

IN_MEMORY = 256 * 1024


DESCRIPTORS = Path("/proc/self/fd")


class OnDisk:
    """A file with an answer, from when it is written until the server has opened it. Where the
    system lets it, it has no name that could outlive this process."""

    def __init__(self, start: bytes) -> None:
        if DESCRIPTORS.is_dir():
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix="vola-")  # noqa: SIM115
            self.path = str(DESCRIPTORS / str(self._file.fileno()))
        else:
            self._file = tempfile.NamedTemporaryFile(prefix="vola-")  # noqa: SIM115
            self.path = self._file.name
        self.size = 0
        self.write(start)

    def write(self, piece: bytes) -> None:
        self.size += self._file.write(piece)

    def end(self) -> None:
        """It is whole."""
        self._file.flush()

    def forget(self) -> None:
        """Whoever has it open reads on."""
        self._file.close()


def gathered(pieces: Iterable[bytes]) -> bytes | OnDisk:
    """All of the pieces; on disk when they are more than IN_MEMORY. The pieces are closed."""
    held, size, file = list[bytes](), 0, None
    try:
        for piece in pieces:
            if file:
                file.write(piece)
                continue
            held.append(piece)
            size += len(piece)
            if size > IN_MEMORY:
                file, held = OnDisk(b"".join(held)), []
    except BaseException:
        if file:
            file.forget()
        raise
    finally:
        close(pieces)
    if not file:
        return b"".join(held)
    file.end()
    return file


def close(pieces: Iterable[bytes]) -> None:
    """As WSGI wants it of everything that it was given."""
    if hasattr(pieces, "close"):
        pieces.close()
