"""The number of times that a connection sends a request to the server and waits for its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.store import connection_pool
from ledger.store.connection_pool import Pool

REQUEST = re.compile(r"^[^\t]*\tF\t\d+\t(Query|Sync)\b", re.MULTILINE)
"""A message after which the client waits, in the format of libpq's trace."""


@contextmanager
def traced_pool(url: str, trace: Path) -> Iterator[tuple[Pool, Callable[[], int]]]:
    """Yield a pool of one connection, and a function that returns, after the pool's end, the number
    of round trips."""
    with connection_pool.open_pool(url, size=1) as pool, trace.open("wb") as file:
        with pool.connection() as db:
            db.pgconn.trace(file.fileno())
        yield pool, lambda: len(REQUEST.findall(trace.read_text(errors="replace")))
        with pool.connection() as db:
            db.pgconn.untrace()
