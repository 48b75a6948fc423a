"""Linux processes: their children, their command lines, signals to them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def list_children(pid: int) -> list[int]:
    """Return the live child processes of this process."""
    pids: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in pids if is_alive(child)]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def has_argument(pid: int, word: str) -> bool:
    """Return whether this word is in the command line of the process."""
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def send_signal(pid: int, number: signal.Signals) -> bool:
    """Send a signal. Return whether the process existed."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
