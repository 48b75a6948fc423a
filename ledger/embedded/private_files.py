"""Files that only their owner may read: locks, logs and passwords; and whether a path is there.

Every file is created with mode 0600. What root creates in another user's folder (`sudo vola …` at
home) is given to that user, who could not open it otherwise.
"""

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOG_BYTES = 4 * 1024 * 1024


def path_exists(path: Path) -> bool:
    """Return whether the path exists. Raise OSError if that cannot be seen: since Python 3.14
    `Path.exists` says no then, also of a folder without access or on a failing disk."""
    return _mode(path) is not None


def is_folder(path: Path) -> bool:
    """Return whether the path is that of a folder. Raise OSError if that cannot be seen."""
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def make_folder(folder: Path) -> None:
    """Make `folder` and its missing parents, all owned like the folder that was there and never
    writable by others. Raises OSError, also when something other than a folder has that name."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(0o755)
    except FileExistsError:  # lost a race, or a file is in the way
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "Not a folder", str(folder)) from None
        return
    if os.geteuid() == 0:
        owner = folder.parent.stat()
        os.chown(folder, owner.st_uid, owner.st_gid, follow_symlinks=False)


def open_private(path: Path, flags: int) -> int:
    """Open `path`, made with mode 0600 if it is missing, and return the file descriptor. Raises
    OSError, also when `path` is a symbolic link."""
    flags |= os.O_NOFOLLOW
    try:
        # O_EXCL first: only a file that is new here is given away, never one that was linked in.
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock the open file until it is closed, exclusively unless `shared`. Return whether that
    succeeded: not while another process has a lock on it that does not allow this one."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_private(path: Path, text: str) -> None:
    """Write `text` to `path`. A reader sees all of it or nothing, also after a power cut."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(open_private(temporary, os.O_WRONLY), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, where its file system can do that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # as of some network folders
            raise
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class LogPart:
    """The part of a log that is written from now on: its descriptor, and where the part begins."""

    path: Path
    descriptor: int
    begin: int

    def text(self) -> str:
        """Return what was written in this part, at most its last 20,000 bytes."""
        end = os.fstat(self.descriptor).st_size
        begin = max(self.begin if self.begin <= end else 0, end - 20_000)
        return os.pread(self.descriptor, end - begin, begin).decode(errors="replace")


@contextmanager
def log_part(path: Path) -> Iterator[LogPart]:
    """Open a log for appending. What was there moves to `….1` once it is over 4 MiB."""
    with open(open_private(path, os.O_RDWR | os.O_APPEND), "rb") as file:
        descriptor = file.fileno()
        if os.fstat(descriptor).st_size > LOG_BYTES:
            older = path.with_name(f"{path.name}.1")
            older.unlink(missing_ok=True)
            with open(path, "rb") as source, open(open_private(older, os.O_WRONLY), "wb") as copy:
                shutil.copyfileobj(source, copy)
            # Emptied and not replaced: a process that has it open goes on writing to this file.
            os.ftruncate(descriptor, 0)
        yield LogPart(path, descriptor, os.fstat(descriptor).st_size)
