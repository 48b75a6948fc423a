"""Child processes: restarted when they end, and never outliving their parent."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ledger.embedded.fork_lock import fork_lock

log = logging.getLogger("vola")

PYTHON_MODULE = (sys.executable, "-P", "-m")
"""Starts a module of Vola, and never one of the same name in the current folder."""
RETRY_SECONDS = 0.5
PARENT = "VOLA_PARENT"
"""The environment variable with the process id of a child's parent."""


@contextmanager
def child_process(*command: str) -> Iterator[None]:
    """Run another `vola` command as a child: restarted when it ends, stopped on exit."""
    stop = threading.Event()
    keeper = threading.Thread(
        target=_keep_running, args=(command, stop), name="keeper", daemon=True
    )
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


def _keep_running(command: tuple[str, ...], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            process = start_command(*command)
        except OSError as error:  # no memory, process id or file descriptor is free now
            log.warning("%s cannot be started: %s", command[0], error.strerror)
            stop.wait(RETRY_SECONDS)
            continue
        while process.poll() is None:
            if stop.wait(0.1):
                end_process(process, 10)
                return
        log.warning("%s ended with %s; starting it again", command[0], process.returncode)
        stop.wait(RETRY_SECONDS)


def start_command(*command: str, **options: Any) -> subprocess.Popen[Any]:
    """Start a `vola` command in a session of its own: Ctrl-C reaches only the parent, which stops
    it in time. Raise OSError."""
    with fork_lock:
        return subprocess.Popen(  # noqa: S603
            [*PYTHON_MODULE, "api.cli.main", *command], start_new_session=True, **options
        )


def end_process(process: subprocess.Popen[Any], seconds: float) -> None:
    """Ask a process to end, and kill it if it has not after these seconds."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()


def die_with_parent() -> None:
    """End this process when its parent is killed, so that it does not hold on to the port."""
    parent = os.environ.get(PARENT)
    if not parent:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    parent_id = int(parent)
    if os.getppid() != parent_id:
        os._exit(1)  # the parent was killed while this process was starting

    def watch_parent() -> None:
        while os.getppid() == parent_id:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch_parent, name="parent watch", daemon=True).start()
