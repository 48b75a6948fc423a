"""Calls in threads that start at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def call_simultaneously(*calls: Callable[[], Any]) -> list[Any]:
    """Make all calls at the same time, each in a thread of its own. Return their results in
    order."""
    ready = Barrier(len(calls))

    def do(call: Callable[[], Any]) -> Any:
        ready.wait(20)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(do, calls))
