"""A ring: a folder with the newest backups of a book, or of several, numbered in order.

`vola-000042-20261126T181500Z.dump` is the 42nd; the time is there for people. Only the number says
which is older, so a clock that was ten years ahead for a day neither makes later backups look old
nor stops new ones. Other files in the folder are left alone. A damaged backup is reported,
and the next one is made all the same.
"""

import os
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ledger.embedded.private_files import open_private, sync_folder, try_lock
from ledger.transfer.backup_content import find_book
from ledger.transfer.backup_file import PART, BackupDamaged, BackupRefused, verify_on_disk

NAME = re.compile(r"vola-(\d{6,12})-(\d{8}T\d{6}Z)\.dump")
UNFINISHED = re.compile(rf"\.{NAME.pattern}\.[0-9a-f]{{8}}{re.escape(PART)}")
TIME_FORMAT = "%Y%m%dT%H%M%SZ"
KEPT_FILES = 14
"""How many backups stay unless the operator names another number."""
DAY_SECONDS = 24 * 60 * 60
LOCK_SECONDS = 60
POLL_SECONDS = 1
RESERVE_BYTES = 64 * 1024 * 1024
"""A backup leaves this much of the disk free: often the book is on it too, and needs room."""
SAMPLE_BYTES = 64 * 1024 * 1024
"""How much of the earlier backups is read each time: all of them in a small book, one at least."""

Warn = Callable[[str], object]
"""Called with a sentence about a backup that a person should look at."""


class RingFile(NamedTuple):
    """A backup of the ring. `created_at` in seconds since 1970, by the clock of that day."""

    number: int
    created_at: int
    path: Path


def parse_ring_file(path: Path) -> RingFile | None:
    """Return what the name of a backup in a ring says, or None for another name."""
    match = NAME.fullmatch(path.name)
    if not match:
        return None
    try:
        moment = datetime.strptime(match[2], TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
    return RingFile(int(match[1]), int(moment.timestamp()), path)


def list_ring(folder: Path) -> list[RingFile]:
    """Return the backups in the folder, the newest first; none if there is no folder. Raise
    OSError."""
    if not folder.exists():
        return []
    return sorted(filter(None, map(parse_ring_file, folder.iterdir())), reverse=True)


def list_backups_of(book: str, folder: Path, warn: Warn) -> list[RingFile]:
    """Return the backups of a book in the folder, the newest first. Raise OSError, ServerFailed."""
    backups: list[RingFile] = []
    for backup in list_ring(folder):
        book_of_file = find_book(backup.path)
        if book_of_file == book:
            backups.append(backup)
        elif book_of_file is None:
            warn(
                f"{backup.path} is damaged, or no backup of Vola: nothing in it says which book it "
                "is of, so it is never removed; delete it."
            )
    return backups


def is_due(created_at: int | None, now: int) -> bool:
    """Whether it is time for the next backup: there is none, or the newest is a day old.

    One that seems to come from a day or more ahead counts as old: the clock was wrong then, or it
    is now. Both times are in seconds.
    """
    return created_at is None or abs(now - created_at) >= DAY_SECONDS


def next_path(folder: Path, moment: str) -> Path:
    """Return the path of the next backup, made at `moment` (TIME_FORMAT). Raise OSError."""
    numbers = (backup.number for backup in list_ring(folder))
    return folder.joinpath(f"vola-{max(numbers, default=0) + 1:06}-{moment}.dump")


def remove_older(backups: Sequence[RingFile], keep: int, damaged: Set[RingFile]) -> None:
    """Remove all but the newest `keep` of the backups; damaged ones do not count. Raise OSError."""
    free_places = keep
    for backup in backups:
        if free_places == 0:
            backup.path.unlink(missing_ok=True)
        elif backup not in damaged:
            free_places -= 1
    for folder in {backup.path.parent for backup in backups}:
        sync_folder(folder)


def is_sound(backup: RingFile, warn: Warn) -> bool:
    """Read the backup and return whether it matches its checksum."""
    try:
        verify_on_disk(backup.path)
    except BackupDamaged as damage:
        warn(f"{backup.path} is damaged: {damage.reason}; delete it, and look at that disk.")
        return False
    return True


def check_samples(backups: Sequence[RingFile], warn: Warn) -> set[RingFile]:
    """Read as many of the backups as SAMPLE_BYTES allow, in a random order so that all of them have
    their turn. Return those that are damaged. Raise OSError."""
    remaining_bytes = SAMPLE_BYTES
    damaged: set[RingFile] = set()
    for backup in random.sample(backups, len(backups)):
        if not is_sound(backup, warn):
            damaged.add(backup)
        remaining_bytes -= backup.path.stat().st_size
        if remaining_bytes <= 0:
            break
    return damaged


def check_free_space(folder: Path) -> None:
    """Raise BackupRefused when less than RESERVE_BYTES of the disk are free. Raise OSError."""
    free = shutil.disk_usage(folder).free
    if free < RESERVE_BYTES:
        raise BackupRefused(
            f"The disk of {folder} has {free >> 20} MiB left, and a backup leaves "
            f"{RESERVE_BYTES >> 20} free for what else is on it: free some space on that disk."
        )


@contextmanager
def locked_ring(folder: Path, seconds: int = LOCK_SECONDS) -> Iterator[None]:
    """Hold the folder's lock inside the `with`, and remove what a killed backup left unfinished.

    Raise BackupRefused when another process holds it for these seconds; OSError.
    """
    with open(open_private(folder.joinpath(".lock"), os.O_RDWR), "rb") as lock:
        deadline = time.monotonic() + seconds
        while not try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                raise BackupRefused(
                    f"Another backup has been at work in {folder} for {seconds} seconds: "
                    "wait for its end, or name another folder."
                )
            time.sleep(POLL_SECONDS)
        for path in folder.iterdir():
            if UNFINISHED.fullmatch(path.name):
                path.unlink(missing_ok=True)
        yield
