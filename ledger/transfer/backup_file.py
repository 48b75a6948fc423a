"""A backup file: written under another name until it is complete, with a checksum as its last line.

The line holds the SHA-256 of everything before that value, and the state of the book at the time:
two backups of a book with the same state have the same content. The line before it says which book
that is; files that Vola wrote up to version 1.0 lack it. pg_restore finds everything by the table
of contents at the head of the file and never reads the lines, so the file stays an ordinary archive
of pg_dump.
"""

import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ledger.embedded.private_files import open_private, sync_folder, try_lock

PREFIX = b"\nvola-backup "
CHECKSUM_LINE = re.compile(re.escape(PREFIX) + rb"state=([0-9a-f]{32}) sha256=([0-9a-f]{64})\n")
LINE_BYTES = len(PREFIX) + len("state=") + 32 + len(" sha256=") + 64 + 1
BOOK_PREFIX = b"\nvola-book "
BOOK_LINE = re.compile(re.escape(BOOK_PREFIX) + rb"([0-9a-f]{32})")
BOOK_LINE_BYTES = len(BOOK_PREFIX) + 32
UNCOVERED_BYTES = 64 + 1
"""The checksum itself and the end of its line, the only bytes that it does not cover."""
PART = ".part"
PIECE_BYTES = 1 << 20
NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
"""The errors of file systems without hard links, or with no more than one name for a file."""


class BackupRefused(Exception):
    """A sentence that says why this cannot be backed up or restored, and what to do."""


class BackupDamaged(BackupRefused):
    """The backup `path` is not as it was written: `reason` says what is wrong with it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason}; take another backup.")
        self.path, self.reason = path, reason


class BackupLabel(NamedTuple):
    """Which book a backup is of, None in a file of an earlier version, and in which state: both as
    32 hexadecimal digits."""

    book: str | None
    state: str


@contextmanager
def new_backup_file(path: Path) -> Iterator[Path]:
    """Yield an empty file to write to, which gets the name `path` when the block ends.

    It has mode 0600, is on the disk before it gets its name, and is removed when the block raises,
    or by the next one for `path` when the process was killed. Raise BackupRefused when it cannot be
    written, or when `path` exists by then.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        _remove_unfinished(path)
        with open(open_private(temporary, os.O_WRONLY), "wb") as file:
            with suppress(OSError):  # some network folders have no locks
                try_lock(file.fileno())
            yield temporary
            _publish(temporary, path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise BackupRefused(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        with suppress(OSError):  # the disk may be gone or read-only, which is reported above
            temporary.unlink()


def _remove_unfinished(path: Path) -> None:
    """Remove what killed processes left of `path`, and no file that another still writes."""
    for unfinished in path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 8}{PART}"):
        with suppress(OSError), unfinished.open("rb") as file:
            if try_lock(file.fileno()):
                unfinished.unlink()


def _publish(temporary: Path, path: Path) -> None:
    """Give the file its name, unless a file has that name by now. Raise BackupRefused."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise BackupRefused(f"{path} is there already; name another file, or a folder.") from None
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        temporary.rename(path)


def append_checksum(path: Path, label: BackupLabel) -> None:
    """End the file with its label and checksum, and put all of it on the disk. Raise OSError."""
    with path.open("r+b") as file:
        digest = file_digest(file, "sha256")
        book_line = BOOK_PREFIX + label.book.encode() if label.book else b""
        head = book_line + PREFIX + f"state={label.state} sha256=".encode()
        digest.update(head)
        file.write(head + f"{digest.hexdigest()}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def read_label(path: Path) -> BackupLabel | None:
    """Return the label before the checksum; None if there is no checksum, or no such file."""
    try:
        with path.open("rb") as file:
            end = _last_bytes(file, BOOK_LINE_BYTES + LINE_BYTES)
    except OSError:
        return None
    line = CHECKSUM_LINE.fullmatch(end[-LINE_BYTES:])
    book = BOOK_LINE.fullmatch(end[:-LINE_BYTES])
    return BackupLabel(book[1].decode() if book else None, line[1].decode()) if line else None


def verify_checksum(file: BinaryIO, path: Path, *, is_required: bool) -> bool:
    """Compare the open file `path` with its checksum, and leave it at its beginning. Return whether
    it has one.

    Raise BackupDamaged when they differ, when the line is cut short, or when there is none although
    `is_required`. Files that Vola wrote up to version 0.2 have none. Raise OSError.
    """
    end = _last_bytes(file, LINE_BYTES)
    line = CHECKSUM_LINE.fullmatch(end)
    if line is None and (is_required or PREFIX in end or BOOK_PREFIX in end):
        raise BackupDamaged(path, "its end is missing, with the checksum")
    if line and _digest_of(file).encode() != line[2]:
        raise BackupDamaged(path, "its content does not have the checksum at its end")
    file.seek(0)
    return line is not None


def verify_on_disk(path: Path) -> None:
    """Read the file from the disk, and not from memory where it can be helped, and compare it with
    its checksum. Raise BackupDamaged, also when the disk cannot read it."""
    try:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):  # macOS has none
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            verify_checksum(file, path, is_required=True)
    except OSError as error:
        raise BackupDamaged(path, f"it cannot be read ({error.strerror})") from error


def _last_bytes(file: BinaryIO, count: int) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - count))
    return file.read()


def _digest_of(file: BinaryIO) -> str:
    digest = sha256()
    remaining_bytes = file.seek(0, os.SEEK_END) - UNCOVERED_BYTES
    file.seek(0)
    while remaining_bytes and (piece := file.read(min(remaining_bytes, PIECE_BYTES))):
        digest.update(piece)
        remaining_bytes -= len(piece)
    return digest.hexdigest()
