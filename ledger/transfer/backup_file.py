"""A backup file: written under another name until it is complete, with a checksum as its last line.

The line holds the SHA-256 of everything before that value, and the state of the book at the time:
two backups with the same state hold the same. pg_restore finds everything by the table of contents
at the head of the file and never reads the line, so the file stays an ordinary archive of pg_dump.
"""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO

from ledger.embedded.private_files import open_private, sync_folder

PREFIX = b"\nvola-backup "
CHECKSUM_LINE = re.compile(
    re.escape(PREFIX) + rb"state=([0-9a-f]{32}) sha256=([0-9a-f]{64})\n", re.DOTALL
)
LINE_BYTES = len(PREFIX) + len("state=") + 32 + len(" sha256=") + 64 + 1
VALUE_BYTES = 64 + 1
"""The checksum itself and the end of its line: all that it does not cover."""
PART = ".part"
PIECE_BYTES = 1 << 20


class BackupRefused(Exception):
    """A sentence that says why this cannot be backed up or restored, and what to do."""


@contextmanager
def new_backup_file(path: Path) -> Iterator[Path]:
    """Yield an empty file to write to, which gets the name `path` when the block ends.

    It has mode 0600, is on the disk before it gets its name, and is removed when the block raises.
    BackupRefused when it cannot be written, or when `path` exists by then.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        os.close(open_private(temporary, os.O_WRONLY))
        yield temporary
        _publish(temporary, path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise BackupRefused(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        if path.parent.is_dir():
            temporary.unlink(missing_ok=True)


def _publish(temporary: Path, path: Path) -> None:
    """Give the file its name, unless a file has that name by now. BackupRefused."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise BackupRefused(f"{path} is there already; name another file, or a folder.") from None
    except OSError:  # the file system has no hard links
        temporary.rename(path)


def append_checksum(path: Path, state: str) -> None:
    """End the file with its checksum and put all of it on the disk. `state` is 32 hexadecimal
    digits. OSError."""
    with path.open("r+b") as file:
        digest = file_digest(file, "sha256")
        head = PREFIX + f"state={state} sha256=".encode()
        digest.update(head)
        file.write(head + f"{digest.hexdigest()}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def read_state(path: Path) -> str | None:
    """Return the state in the checksum line; None if there is no such line, or no such file."""
    try:
        with path.open("rb") as file:
            line = CHECKSUM_LINE.fullmatch(_last_bytes(file))
    except OSError:
        return None
    return line[1].decode() if line else None


def verify_checksum(file: BinaryIO, path: Path, *, is_required: bool) -> None:
    """Compare the open file `path` with its checksum, and leave it at its beginning.

    BackupRefused when they differ, when the line is cut short, or when there is none although
    `is_required`. Files that Vola wrote up to version 0.2 have none. OSError.
    """
    end = _last_bytes(file)
    line = CHECKSUM_LINE.fullmatch(end)
    if line is None and (is_required or PREFIX in end):
        raise BackupRefused(
            f"{path} is damaged: its end is missing, with the checksum; take another backup."
        )
    if line and _digest_of(file).encode() != line[2]:
        raise BackupRefused(
            f"{path} is damaged: its content does not have the checksum at its end; "
            "take another backup."
        )
    file.seek(0)


def _last_bytes(file: BinaryIO) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - LINE_BYTES))
    return file.read()


def _digest_of(file: BinaryIO) -> str:
    digest = sha256()
    left = file.seek(0, os.SEEK_END) - VALUE_BYTES
    file.seek(0)
    while left and (piece := file.read(min(left, PIECE_BYTES))):
        digest.update(piece)
        left -= len(piece)
    return digest.hexdigest()
