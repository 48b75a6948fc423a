"""A lock that keeps this process from forking while another thread starts a program.

A child forked in between would inherit descriptors meant for the program alone: the pipe on which
the thread waits for the program's start, which would then never close, and the lock file. Both
would stay open as long as the child lives.
"""

import os
from threading import RLock

fork_lock = RLock()
"""Held while a program is started, and by every fork."""

os.register_at_fork(
    before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release
)
