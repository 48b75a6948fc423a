"""On SIGTERM, a long run stops the processes that it has started."""

import signal
import sys

SIGTERM_EXIT_CODE = 128 + signal.SIGTERM


def exit_on_sigterm() -> None:
    """Turn SIGTERM into an exit that runs every `with` block to its end, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(SIGTERM_EXIT_CODE))
