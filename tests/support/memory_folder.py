"""A folder in memory for the files of a test run: databases, logs, browser profiles.

A server there has the settings it has anywhere, `fsync = on` among them, and waits for no disk. On
a busy disk a copy of a database takes seconds, and there is one for every tenth test. TMPDIR, where
it is set, says where the files go instead, and there they stay for a look at them.
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
"""Bytes that must be free. A run takes a quarter of it; the rest is for its processes."""


def use_memory_folder() -> Callable[[], None]:
    """Let this process and those it starts put temporary files into memory.

    Return what removes the files again. Does nothing where TMPDIR is set, or where the system has
    no such place, too little room in it, or runs no programs from it.
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
