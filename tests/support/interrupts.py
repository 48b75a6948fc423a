"""On SIGTERM, a long run stops the processes that it has started."""

import signal
import sys

TOLD_TO_END = 128 + signal.SIGTERM


def tidily() -> None:
    """Turn SIGTERM into an exit that runs every `with` block to its end, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TOLD_TO_END))
