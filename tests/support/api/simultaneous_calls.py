"""Calls that start together in threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def at_once(*doings: Callable[[], Any]) -> list[Any]:
    """Everybody waits for everybody, and then all do what they do."""
    ready = Barrier(len(doings))

    def do(doing: Callable[[], Any]) -> Any:
        ready.wait(20)
        return doing()

    with ThreadPoolExecutor(len(doings)) as everybody:
        return list(everybody.map(do, doings))
