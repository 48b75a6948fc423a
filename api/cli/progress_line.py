"""A line that counts while a command works."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_line(label: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows a count; only on a terminal, and ended before other output."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    try:
        yield lambda count: print(f"\r{label} {count:,}", end="", file=sys.stderr, flush=True)
    finally:
        print(file=sys.stderr)
