"""A line that counts while a command works."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api.cli.error_output import print_error

LOG_SECONDS = 5
"""The time between two lines in a log."""


@contextmanager
def progress_line(label: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows a count; only on a terminal, and ended before other output."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with _terminal_line(label) as show:
        yield lambda count: show(f"{count:,}")


@contextmanager
def progress_of_total(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many are done, and of how many: on a terminal in one line, in
    a log the first, the last, and one now and then."""
    if sys.stderr.isatty():
        with _terminal_line(label) as show:
            yield lambda count, total: show(f"{count:,} of {total:,}")
        return
    next_line = 0.0

    def log(count: int, total: int) -> None:
        nonlocal next_line
        if count == total or time.monotonic() >= next_line:
            next_line = time.monotonic() + LOG_SECONDS
            print_error(f"{label} {count:,} of {total:,}")

    yield log


@contextmanager
def _terminal_line(label: str) -> Iterator[Callable[[str], None]]:
    try:
        yield lambda text: print_error(f"\r{label} {text}", end="")
    finally:
        print_error("")
