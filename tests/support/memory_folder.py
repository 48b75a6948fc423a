"""A folder in memory for the files of a test run: databases, logs, browser profiles.

A server has its usual settings there, `fsync = on` among them, but waits for no disk. On a busy
disk a copy of a database takes seconds, and every tenth test makes one. If TMPDIR is set, the files
go there instead, and stay for inspection.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
ROOM_BYTES = 8 << 30
"""Bytes that must be free. A run uses a quarter of it for files; the rest is for its processes."""


def use_memory_folder() -> Callable[[], None]:
    """Let this process and its child processes put temporary files into memory.

    Return a function that removes the files. Do nothing where TMPDIR is set, or where the system
    has no such folder, too little room in it, or runs no programs from it.
    """
    if "TMPDIR" in os.environ or not has_room():
        return lambda: None
    folder = tempfile.mkdtemp(prefix="vola-tests-", dir=MEMORY)
    os.environ["TMPDIR"] = tempfile.tempdir = folder

    def remove() -> None:
        del os.environ["TMPDIR"]
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)

    return remove


def has_room() -> bool:
    """Return whether the files of a run fit into memory, and programs among them can run."""
    try:
        place = os.statvfs(MEMORY)
    except OSError:
        return False
    free_bytes = min(place.f_bavail * place.f_frsize, psutil.virtual_memory().available)
    return free_bytes >= ROOM_BYTES and not place.f_flag & os.ST_NOEXEC
