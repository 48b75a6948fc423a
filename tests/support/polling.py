"""Waiting for other processes and threads, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PAUSE_SECONDS = 0.01


def wait_until(
    condition: Callable[[], T], describe: Callable[[], object] = str, *, seconds: float = 60
) -> T:
    """Return the first true result of `condition`, called again and again. AssertionError with
    `describe()` if there is none in time."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, describe()
        time.sleep(PAUSE_SECONDS)  # polling, with a deadline
    return result
