"""Shared use of a server: the first process starts it, later ones join, the last one stops it.

Two `flock` locks say who uses the server and whether it runs. The kernel releases them when their
holders die, so `kill -9` of any process, a zombie, or a process id used again after a reboot cannot
mislead anyone:

`users`   is held shared by every process that uses the server. A process that gets it exclusively
          is the last one: it may stop the server, and no other can join meanwhile.
`server`  is inherited by the server process and its children, and by the programs that set it up.
          While it is held, the server (or its setup) runs; a process that gets it may start one.

A server whose users were all killed keeps running, and the next process joins it. A server that
was killed has released `server`, and the next process starts it again. Knows nothing of PostgreSQL
or Valkey.
"""

import errno
import os
import re
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from ledger.embedded.errors import ServerFailed
from ledger.embedded.fork_lock import fork_lock
from ledger.embedded.private_files import LogPart, log_part, make_folder, open_private, try_lock
from ledger.embedded.server_process import find_process, is_running, running_pid

START_SECONDS = 120
ENDING_SECONDS = 10
LOST_SECONDS = 3
"""A server this old has had time to record where it can be found."""
POLL_SECONDS = 0.004
SEARCH_SECONDS = 0.25
TRIES = 5
PORT_TAKEN = "Address already in use"
FREE_SPACE = "free some space on that disk"
REMEDIES = {
    "No space left": FREE_SPACE,
    "free disk space": FREE_SPACE,
    "Disk quota": FREE_SPACE,
    "has invalid permissions": "make it private with `chmod 700`",
    "look up effective user": "give that user a name in /etc/passwd",
}
# Leaves out the messages that a starting server sends to its clients.
COMPLAINT = re.compile(r"^.*?(?:FATAL|PANIC|ERROR|error):\s+(?!the database system is)(.*)$")

# Kept so that the process that started a server reaps it even if another stops it.
_children: list[subprocess.Popen[bytes]] = []


class Server(ABC):
    """A server of the data folder `data`; a subclass knows how to start it and how to read its
    state."""

    name: ClassVar[str]
    stopping: ClassVar[Sequence[tuple[signal.Signals, float]]]
    """The signals that end it, gentlest first, each with the seconds to wait after it."""

    def __init__(self, data: Path, program: Path) -> None:
        self.data, self.program = data.resolve(), program
        self.log = self.data / f"{self.name}.log"
        self.folder = self.data / self.name  # where it works; also named on its command line

    @abstractmethod
    def start(self, server_lock: int, log: LogPart) -> subprocess.Popen[bytes]:
        """Launch it so that it inherits the descriptor `server_lock`, and return at once."""

    @abstractmethod
    def pid(self) -> int | None:
        """Return the process id that it, or an earlier server, has recorded."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it accepts connections."""

    def is_ending(self) -> bool:
        """Whether it is shutting down."""
        return False

    @abstractmethod
    def is_lost(self) -> bool:
        """Whether it has recorded too little for another process to find it while it runs."""

    def tidy(self) -> None:  # noqa: B027  # most leave nothing behind
        """Remove the files that are of no use once it has stopped."""


@contextmanager
def keep_running(server: Server) -> Iterator[None]:
    """Keep `server` running inside the `with`. Raise ServerFailed if it does not start."""
    entered_by = os.getpid()
    pid: int | None = None
    with ExitStack() as files:
        with _explain_errors(server):
            locks = server.data / "locks"
            make_folder(locks)
            users = files.enter_context(_open_lock(locks / f"{server.name}.users"))
            server_lock = files.enter_context(_open_lock(locks / f"{server.name}.server"))
            _lock_shared(users, server)
        try:
            with _explain_errors(server):
                pid = _start_or_join(server, locks)
            yield
        finally:
            # A forked child that leaves the block must not stop its parent's server.
            if os.getpid() == entered_by and try_lock(users):
                _stop(server, server_lock, pid)


def free_port(preferred: int = 0) -> int:
    """Return `preferred` if nothing listens there on 127.0.0.1 (old URLs stay valid), or another
    port. Raise ServerFailed when there is none."""
    for port in (preferred, 0):  # 0: whichever is free
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError, OverflowError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    raise ServerFailed(
        "No port on 127.0.0.1 can be listened on: look at this computer's network (loopback), "
        "or set DATABASE_URL and REDIS_URL to servers elsewhere."
    )


def failure_reason(log: LogPart) -> str:
    """Return what went wrong according to `log`, in one line, and what to do if we know."""
    text = log.text()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    complaints = [match.group(1) for line in lines if (match := COMPLAINT.match(line))]
    reason = complaints[0] if complaints else lines[-1] if lines else "it said nothing"
    remedies = (remedy for sign, remedy in REMEDIES.items() if sign in text)
    remedy = next(remedies, f"more is in {log.path}")
    return f"{reason.rstrip('.')}; {remedy}."


def _start_or_join(server: Server, locks: Path) -> int | None:
    """Return the server's process id once it is ready, None if that is unknown. Raise
    ServerFailed."""
    deadline = time.monotonic() + START_SECONDS
    escalate_stop, end_lost = _stop_escalation(server), _lost_server_reaper(server)
    started: list[subprocess.Popen[bytes]] = []
    with log_part(server.log) as log:
        while time.monotonic() < deadline:
            with fork_lock, _open_lock(locks / f"{server.name}.server") as server_lock:
                if try_lock(server_lock):
                    if started and (len(started) == TRIES or not _worth_a_retry(started[-1], log)):
                        raise ServerFailed(f"{server.name} did not start: {failure_reason(log)}")
                    start_time = time.monotonic()
                    started.append(server.start(server_lock, log))
                    deadline += time.monotonic() - start_time  # an upgrade may have come first
                    _children.append(started[-1])
                elif server.is_ready():
                    return _pid_of(server)
                elif server.is_ending():
                    escalate_stop()
                elif server.is_lost():
                    end_lost()
            time.sleep(POLL_SECONDS)
    raise ServerFailed(
        f"{server.name} in {server.data} did not answer within {START_SECONDS} seconds: "
        f"look in {server.log}, and for another computer or container at work there."
    )


def _stop_escalation(server: Server) -> Callable[[], None]:
    """Return a function to call repeatedly while another process's stop takes too long; it sends
    the next stronger signal. (PostgreSQL 18 may never end if told to stop while it recovers from a
    crash of one of its processes.)"""
    since = time.monotonic()
    stop_signals = list(server.stopping)

    def escalate_stop() -> None:
        nonlocal since
        if len(stop_signals) > 1 and time.monotonic() - since > min(
            stop_signals[0][1], ENDING_SECONDS
        ):
            since = time.monotonic()
            del stop_signals[0]
            _signal(server, _pid_of(server), stop_signals[0][0])

    return escalate_stop


def _lost_server_reaper(server: Server) -> Callable[[], None]:
    """Return a function to call repeatedly while a server holds the lock but has not recorded where
    it is. A server that is seen so for LOST_SECONDS is stopped: no process can join it, and no
    other server can start."""
    next_check = time.monotonic() + SEARCH_SECONDS
    sighting_times: dict[int | None, float] = {}
    stop_signals = list(server.stopping)

    def end_lost() -> None:
        nonlocal next_check
        now = time.monotonic()
        if now < next_check:
            return
        next_check = now + SEARCH_SECONDS
        pid = find_process(server.program, server.folder)
        if now - sighting_times.setdefault(pid, now) < LOST_SECONDS:
            next_check = now + LOST_SECONDS if pid else next_check
        elif stop_signals and _signal(server, pid, stop_signals[0][0]):
            next_check += min(stop_signals[0][1], ENDING_SECONDS)
            del stop_signals[0]

    return end_lost


def _pid_of(server: Server) -> int | None:
    return running_pid(server.pid(), server.program, server.folder)


def _signal(server: Server, pid: int | None, number: signal.Signals) -> bool:
    """Signal the server, but never another process that has its process id by now. Return whether
    it ran."""
    if pid is None or not is_running(pid, server.folder):
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    return True


def _worth_a_retry(dead: subprocess.Popen[bytes], log: LogPart) -> bool:
    """Return whether a server that has ended may start at the next attempt."""
    # another process took its port, or it was killed or stopped
    return PORT_TAKEN in log.text() or dead.wait(START_SECONDS) <= 0


def _stop(server: Server, server_lock: int, pid: int | None) -> None:
    # If the data folder was deleted and created again meanwhile, another server may run there now:
    # then only the lock and the process id that this process has had from the start are its own.
    is_own_server = _is_open_file(server_lock, server.data / "locks" / f"{server.name}.server")
    for number, seconds in server.stopping:
        deadline = time.monotonic() + seconds
        is_signalled = False
        while time.monotonic() < deadline:
            _children[:] = [child for child in _children if child.poll() is None]
            if try_lock(server_lock):
                if is_own_server:
                    server.tidy()
                return
            # A server that was interrupted while it started may not have recorded its id yet.
            is_signalled = is_signalled or _signal(
                server, (_pid_of(server) if is_own_server else None) or pid, number
            )
            time.sleep(POLL_SECONDS)


def _is_open_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:  # the file is gone, or its disk is
        return False


@contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    with open(open_private(path, os.O_RDWR), "rb") as file:
        yield file.fileno()


def _lock_shared(users: int, server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not try_lock(users, shared=True):
        if time.monotonic() > deadline:
            raise ServerFailed(
                f"Another Vola has been stopping {server.name} in {server.data} for "
                f"{START_SECONDS} seconds: end that process and try again."
            )
        time.sleep(POLL_SECONDS)


@contextmanager
def _explain_errors(server: Server) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = error.strerror or str(error)
        path = error.filename or server.data
        writable = "make it a folder that this user may write in, or set VOLA_DATA to another"
        remedy = FREE_SPACE if error.errno in (errno.ENOSPC, errno.EDQUOT) else writable
        raise ServerFailed(
            f"Vola cannot use its data folder {server.data}: {problem} ({path}); {remedy}."
        ) from error
