"""A long run that is told to end takes down what it has started."""

import signal
import sys

TOLD_TO_END = 128 + signal.SIGTERM


def tidily() -> None:
    """SIGTERM becomes an exit that every `with` hears of, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TOLD_TO_END))
