"""The state of an embedded book's automatic backups, for its page and its metrics.

`vola serve` records the outcome of each attempt in the data folder, in a file that it creates while
the disk has room: the file can then also record that the disk is full. The backups themselves are
in a folder beside it.
"""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from ledger.embedded.private_files import open_private
from ledger.transfer.backup_file import read_label
from ledger.transfer.backup_ring import RingFile, list_ring

RECORD_BYTES = 512
"""One sector of a disk, so that a power cut leaves the old record or the new one."""


class AttemptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How many backups were written and how many attempts failed, and whether the last one did."""

    written: int = 0
    failed: int = 0
    is_failing: bool = False


class AutomaticBackups:
    """The backups in the data folder `data`, and the record of the attempts.

    With the id of a `book`, files that say that they are of another are left aside.
    """

    def __init__(self, data: Path, book: str | None = None) -> None:
        self.data, self._book = data, book
        self.folder = data.joinpath("backups")
        self._record = data.joinpath("backups.json")

    def newest(self) -> RingFile | None:
        """Return the newest backup; None also while the folder cannot be read."""
        with suppress(OSError):
            return next(filter(self._may_be_of_book, list_ring(self.folder)), None)
        return None

    def _may_be_of_book(self, backup: RingFile) -> bool:
        label = read_label(backup.path) if self._book else None
        return label is None or label.book in (None, self._book)

    def read_record(self) -> AttemptRecord:
        """Return the record; an empty one if there is none, or it cannot be read."""
        try:
            return msgspec.json.decode(self._record.read_bytes(), type=AttemptRecord)
        except (OSError, msgspec.MsgspecError):
            return AttemptRecord()

    def write_record(self, record: AttemptRecord) -> None:
        """Overwrite the record in place, which needs no free space on the disk. Raise OSError."""
        text = msgspec.json.encode(record).ljust(RECORD_BYTES)
        with open(open_private(self._record, os.O_RDWR), "r+b", buffering=0) as file:
            file.write(text)
            os.fsync(file.fileno())
