"""Calls that start together in threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def call_simultaneously(*calls: Callable[[], Any]) -> list[Any]:
    """Everybody waits for everybody, and then all do what they do."""
    ready = Barrier(len(calls))

    def do(call: Callable[[], Any]) -> Any:
        ready.wait(20)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(do, calls))
