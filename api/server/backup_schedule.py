"""When the embedded book is backed up: once a day while it runs, and once more when it stops.

A `vola backup --to` of its own makes each backup, so that no request waits for it and a stop can
end it. It holds no lock that a phone needs.
"""

import logging
import math
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from msgspec.structs import replace

from api.server.child_process import end_process, start_command
from ledger.embedded.data_folder import has_cluster
from ledger.embedded.private_files import make_folder
from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from ledger.transfer.backup_file import BackupRefused
from ledger.transfer.backup_ring import RingFile, is_due, locked_ring
from ledger.transfer.book_state import read_book_id

log = logging.getLogger("vola")

FIRST_CHECK_SECONDS = 2
"""The first phones may load the page before a backup begins."""
CHECK_SECONDS = 60
RETRY_SECONDS = 600
"""The time between an attempt that failed, or found an empty book, and the next one."""
STOP_SECONDS = 8
"""How long a stop waits for a backup. Service managers and containers kill after ten seconds or
more, and the embedded servers need some of that."""
ENDING_SECONDS = 2
POLL_SECONDS = 0.1
NICENESS = 10
"""The lower priority of a backup, so that it does not delay play."""
DATA = "VOLA_BACKUP_DATA"
"""The environment variable that names the data folder to the processes of a server that makes
backups by itself."""
BOOK = "VOLA_BACKUP_BOOK"
"""The environment variable that names the book in it to them."""
DATABASE_URLS = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_AUDIT_URL")
REFUSAL_PREFIX = "vola: "
"""How a line of the command begins that says why it refuses, or warns."""


@contextmanager
def automatic_backups(data: Path | None, app_url: str) -> Iterator[None]:
    """Back up the embedded book in `data` on schedule inside the `with`, and once at its end; do
    nothing without `data`. The exit takes at most STOP_SECONDS and ENDING_SECONDS. Raise
    psycopg.Error.
    """
    os.environ.pop(DATA, None)
    if data is None:
        yield
        return
    with psycopg.connect(app_url) as db:
        book = read_book_id(db)
    os.environ[DATA], os.environ[BOOK] = str(data), book
    schedule = BackupSchedule(data, book)
    thread = threading.Thread(target=schedule.run, name="backups")
    thread.start()
    try:
        yield
    finally:
        try:
            schedule.stop()
            thread.join()
        except BaseException:  # a second Ctrl-C: now
            schedule.stop(seconds=0)
            thread.join()
            raise


def backups_of_parent() -> AutomaticBackups | None:
    """Return the backups that the server of this process makes, if it makes any."""
    data = os.environ.get(DATA)
    return AutomaticBackups(Path(data), os.environ[BOOK]) if data else None


class BackupSchedule:
    """The backups of one running server; `run` is the body of a thread."""

    def __init__(self, data: Path, book: str | None = None) -> None:
        self._backups = AutomaticBackups(data, book)
        inherited = {name: v for name, v in os.environ.items() if name not in DATABASE_URLS}
        self._environment = {**inherited, "VOLA_DATA": str(data)}
        self._stop = threading.Event()
        self._deadline = math.inf
        self._complete_at: int | None = None  # when the newest backup was found to lack nothing
        self._last_failure = ""

    def run(self) -> None:
        """Make backups when they are due until `stop` is called, and then the last one."""
        self._write(self._backups.read_record())  # takes its place on the disk while there is room
        wait_seconds = FIRST_CHECK_SECONDS
        while not self._stop.wait(wait_seconds):
            if self._is_due():
                self.make_backup()
            wait_seconds = RETRY_SECONDS if self._is_due() else CHECK_SECONDS
        if time.monotonic() < self._deadline:
            self.make_backup()

    def stop(self, *, seconds: float = STOP_SECONDS) -> None:
        """Let `run` end within `seconds`, with what it can back up in that time."""
        self._deadline = time.monotonic() + seconds
        self._stop.set()

    def make_backup(self) -> None:
        """Make a backup if anything is new, and record the outcome: a failure is logged when it is
        another than the last one, and raises nothing."""
        if not has_cluster(self._backups.data):  # create nothing where a disk was removed
            self._log_failure(f"There is no book in {self._backups.data}.")
            return
        before = self._backups.newest()
        failure = self._run_command(before)
        record, newest = self._backups.read_record(), self._backups.newest()
        if failure:
            self._log_failure(failure)
            self._write(replace(record, failed=record.failed + 1, is_failing=True))
        else:
            self._complete_at = int(time.time()) if newest else None  # else the book is empty
            is_written = newest is not None and newest != before
            if newest and is_written:
                log.info("Made the backup %s.", newest.path.name)
            self._write(replace(record, written=record.written + is_written, is_failing=False))
            self._last_failure = ""

    def _log_failure(self, failure: str) -> None:
        if failure != self._last_failure:
            log.warning("The automatic backup failed: %s", failure)
        self._last_failure = failure

    def _is_due(self) -> bool:
        if self._backups.read_record().is_failing:
            return True
        newest, now = self._backups.newest(), int(time.time())
        times = (newest.created_at if newest else None, self._complete_at)
        return all(is_due(moment, now) for moment in times)

    def _run_command(self, before: RingFile | None) -> str:
        """Run `vola backup --to`, and return why it failed, or nothing. `before` is the newest
        backup until now."""
        folder = self._backups.folder
        try:
            make_folder(folder)
            process = start_command(
                *("backup", "--to", str(folder)),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            return f"Cannot write in {folder}: {error.strerror}."
        with process:
            if not self._stop.is_set():  # no one plays during the last one, and the stop waits
                # an ordinary user may not raise the priority of a server started with `nice`
                niceness = max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0))
                os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
            if not self._wait_for(process):
                if self._backups.newest() != before:
                    return ""
                return (
                    f"It was not complete {STOP_SECONDS} seconds after the stop; "
                    "the earlier ones are untouched."
                )
            assert process.stderr is not None
            lines = process.stderr.read().strip().splitlines()
        sentences = [
            line.removeprefix(REFUSAL_PREFIX) for line in lines if line.startswith(REFUSAL_PREFIX)
        ]
        failure = ""
        if process.returncode:
            failure = sentences.pop() if sentences else f"it ended with {process.returncode}."
        for sentence in sentences:  # about earlier backups
            log.warning("%s", sentence)
        return failure

    def _wait_for(self, process: subprocess.Popen[str]) -> bool:
        """Wait until the process ends; end it at the deadline and return False."""
        while time.monotonic() < self._deadline:
            try:
                process.wait(POLL_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            return True
        end_process(process, ENDING_SECONDS)
        process.wait()
        with suppress(OSError, BackupRefused), locked_ring(self._backups.folder, seconds=0):
            pass  # it removes the unfinished file of a process that was killed
        return False

    def _write(self, record: AttemptRecord) -> None:
        try:
            self._backups.write_record(record)
        except OSError as error:
            log.warning("Cannot write down how the backups went: %s.", error.strerror)
