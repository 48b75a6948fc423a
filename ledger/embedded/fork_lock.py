"""Nobody splits this process in two while another thread of it starts a program.

A child that was forked in between would keep what was meant for the program alone: the pipe on
which the thread waits to hear that it has begun, which then never closes, and the lock that is
handed down. Both would last as long as the child.
"""

import os
from threading import RLock

fork_lock = RLock()
"""Held by whoever starts a program, and by every fork."""

os.register_at_fork(
    before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release
)
