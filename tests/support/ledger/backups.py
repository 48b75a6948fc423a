"""Backups in progress: stopped by a lock, and awaited in their folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from ledger.transfer.backup_file import verify_checksum
from ledger.transfer.backup_ring import list_ring
from tests.support.polling import wait_until


@contextmanager
def hold_up_backup(owner_url: str) -> Iterator[None]:
    """Let no backup get beyond the beginning of its file inside the `with`: pg_dump waits for a
    table that neither play nor the check for new events reads."""
    with psycopg.connect(owner_url) as db:
        db.execute("LOCK TABLE vola.group_creation_keys IN ACCESS EXCLUSIVE MODE")
        yield


def unfinished_files(folder: Path) -> list[Path]:
    return list(folder.glob(".vola-*.part")) if folder.is_dir() else []


def wait_for_unfinished_file(folder: Path) -> None:
    wait_until(lambda: unfinished_files(folder), lambda: "no backup began")


def wait_for_backup(data: Path, number: int) -> None:
    """Wait until the data folder has a backup of this number or a higher one."""
    folder = AutomaticBackups(data).folder
    wait_until(
        lambda: any(file.number >= number for file in list_ring(folder)),
        lambda: "no backup was made",
    )


def wait_for_record(data: Path, record: AttemptRecord) -> None:
    read_record = AutomaticBackups(data).read_record
    wait_until(lambda: read_record() == record, read_record)


def ring_numbers(folder: Path) -> list[int]:
    return [file.number for file in list_ring(folder)]


def verify_ring(folder: Path) -> None:
    """Verify that every backup of the ring matches its checksum."""
    for backup in list_ring(folder):
        with backup.path.open("rb") as file:
            verify_checksum(file, backup.path, is_required=True)
