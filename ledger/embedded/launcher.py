"""The first to come starts a server, whoever comes later joins it, the last to leave stops it.

Two locks of the kernel say all there is to know, and neither outlives its holders:

`users`   is held shared by every user. Whoever gets it alone is the last: the server can be
          stopped, and nobody comes in meanwhile.
`server`  is handed down to the server process and its children, also those that set it up.
          While it is taken, somebody works in the folder; whoever gets it is the one to start.

So a kill -9 of anybody, a zombie, or a process number used again after a reboot deceive nobody.
Knows nothing of PostgreSQL or Valkey.
"""

import fcntl
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import psutil

from ledger.servers.failure import ServerFailed
from ledger.servers.forking import apart
from ledger.servers.private import LogPart, log_part, make_folder, open_private

START_SECONDS = 120
ENDING_SECONDS = 10
POLL_SECONDS = 0.004
TRIES = 5
PORT_TAKEN = "Address already in use"
REMEDIES = {
    "No space left": "free some space on that disk",
    "free disk space": "free some space on that disk",
    "Disk quota": "free some space on that disk",
    "look up effective user": "give that user a name in /etc/passwd",
}
# Not what is said to a client that came too early.
COMPLAINT = re.compile(r"^.*?(?:FATAL|PANIC|ERROR|error):\s+(?!the database system is)(.*)$")

# Kept so that a server that somebody else stops is still buried by the process that started it.
_children: list[subprocess.Popen[bytes]] = []


class Server(Protocol):
    """What the launcher needs to know of a server."""

    @property
    def name(self) -> str: ...
    @property
    def data(self) -> Path: ...
    @property
    def log(self) -> Path: ...
    @property
    def folder(self) -> Path:
        """The folder it works in, which stands on its command line."""

    @property
    def stopping(self) -> Sequence[tuple[signal.Signals, float]]:
        """The signals that end it, gentlest first, each with the seconds it is given."""

    def start(self, alive: int, log: LogPart) -> subprocess.Popen[bytes]:
        """Launch it, with the descriptor `alive` handed down to it, and return at once."""

    def pid(self) -> int | None:
        """Return the process number that it, or one before it, has written down."""

    def ready(self) -> bool:
        """Whether it accepts connections."""

    def ending(self) -> bool:
        """Whether somebody has told it to stop, and it says that it is about to."""

    def tidy(self) -> None:
        """Remove what is of no use once it has stopped."""


@contextmanager
def running(server: Server) -> Iterator[None]:
    """Keep `server` running inside the `with`; raises ServerFailed if it will not start."""
    entered_by = os.getpid()
    pid: int | None = None
    with ExitStack() as files:
        with _explained(server):
            locks = server.data / "locks"
            make_folder(locks)
            users = _opened(locks / f"{server.name}.users", files)
            alive = _opened(locks / f"{server.name}.server", files)
            _share(users, server)
        try:
            with _explained(server):
                pid = _bring_up(server, locks)
            yield
        finally:
            # A forked child that unwinds through here has no say about its parent's server.
            if os.getpid() == entered_by and _locked(users):
                _stop(server, alive, pid)


def is_running(pid: int, folder: Path) -> bool:
    """Whether `pid` is a live process, no zombie, that was started on `folder`."""
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and str(folder) in process.cmdline()
    except psutil.Error:
        return False


def complaint(log: LogPart) -> str:
    """Return what went wrong according to `log`, in one line, and what to do if we know."""
    text = log.text()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [match.group(1) for line in lines if (match := COMPLAINT.match(line))]
    reason = found[0] if found else lines[-1] if lines else "it said nothing"
    known = (remedy for sign, remedy in REMEDIES.items() if sign in text)
    remedy = next(known, f"more is in {log.path}")
    return f"{reason.rstrip('.')}; {remedy}."


def _bring_up(server: Server, locks: Path) -> int | None:
    deadline = time.monotonic() + START_SECONDS
    hasten = _hastening(server)
    started: list[subprocess.Popen[bytes]] = []
    with log_part(server.log) as log:
        while time.monotonic() < deadline:
            with apart, _handed_down(locks / f"{server.name}.server") as alive:
                if _locked(alive):
                    if started and (len(started) == TRIES or not _worth_a_retry(started[-1], log)):
                        raise ServerFailed(f"{server.name} did not start: {complaint(log)}")
                    started.append(server.start(alive, log))
                    _children.append(started[-1])
                elif server.ready():
                    return server.pid()
                elif server.ending():
                    hasten()
            time.sleep(POLL_SECONDS)
    raise ServerFailed(
        f"{server.name} in {server.data} did not answer within {START_SECONDS} seconds: "
        f"look in {server.log}, and for another computer or container at work there."
    )


def _hastening(server: Server) -> Callable[[], None]:
    """What is called again and again while somebody else's stop takes its time: after a while it
    is stopped less gently, since everybody waits for it to be there again. PostgreSQL 18 never ends
    when it is told to while it recovers from a crash of one of its processes."""
    since = time.monotonic()
    left = list(server.stopping)

    def hasten() -> None:
        nonlocal since
        if len(left) > 1 and time.monotonic() - since > min(left[0][1], ENDING_SECONDS):
            since = time.monotonic()
            del left[0]
            _send(server, server.pid(), left[0][0])

    return hasten


def _send(server: Server, pid: int | None, number: signal.Signals) -> bool:
    """Signal the server, and nobody who has its number by now."""
    if pid is None or not is_running(pid, server.folder):
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    return True


def _worth_a_retry(dead: subprocess.Popen[bytes], log: LogPart) -> bool:
    # Somebody was faster at its port, or somebody killed or stopped it: neither is its own fault.
    return PORT_TAKEN in log.text() or dead.wait(START_SECONDS) <= 0


def _stop(server: Server, alive: int, pid: int | None) -> None:
    # If the data folder was deleted and made anew meanwhile, another server may run there now:
    # then only the lock and the number that we have had from the beginning are of ours.
    path = server.data / "locks" / f"{server.name}.server"
    ours = path.exists() and os.path.samestat(os.fstat(alive), path.stat())
    for number, seconds in server.stopping:
        deadline = time.monotonic() + seconds
        sent = False
        while time.monotonic() < deadline:
            _children[:] = [child for child in _children if child.poll() is None]
            if _locked(alive):
                if ours:
                    server.tidy()
                return
            # A server that was interrupted while it started may not have a number yet.
            now = (server.pid() if ours else None) or pid
            sent = sent or _send(server, now, number)
            time.sleep(POLL_SECONDS)


@contextmanager
def _handed_down(path: Path) -> Iterator[int]:
    descriptor = open_private(path, os.O_RDWR)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(path: Path, files: ExitStack) -> int:
    descriptor = open_private(path, os.O_RDWR)
    files.callback(os.close, descriptor)
    return descriptor


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _share(users: int, server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ServerFailed(
                    f"Another Vola has been stopping {server.name} in {server.data} for "
                    f"{START_SECONDS} seconds: end that process and try again."
                ) from None
        time.sleep(POLL_SECONDS)


@contextmanager
def _explained(server: Server) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        where = error.filename or server.data
        raise ServerFailed(
            f"Vola cannot use its data folder {server.data}: {what} ({where}); "
            "make it a folder that this user may write in, or set VOLA_DATA to another."
        ) from error
