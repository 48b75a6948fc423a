"""A process that does not outlive the one that has begun it."""

import ctypes
import os
import signal
import sys
import threading
import time

PARENT = "VOLA_PARENT"
"""Where the environment of a child has the number of the process that it belongs to."""


def die_with_parent() -> None:
    """A child whose parent was killed ends too, instead of holding on to its port."""
    parent = os.environ.get(PARENT)
    if not parent:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    born_to = int(parent)
    if os.getppid() != born_to:
        os._exit(1)  # it was killed while we were being started

    def watch() -> None:
        while os.getppid() == born_to:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()
