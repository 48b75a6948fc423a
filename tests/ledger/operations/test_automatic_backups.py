"""The record of backup attempts withstands what makes a backup fail: a full or missing disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from ledger.transfer.backup_file import BackupLabel, append_checksum
from tests.support.small_disk import mounted_disk

OURS = "a" * 32
FAILED = AttemptRecord(written=3, failed=1, is_failing=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted_disk(tmp_path / "disk", kib=16) as disk:
        yield disk


def test_a_failure_is_written_down_on_a_full_disk(small_disk: Path) -> None:
    backups = AutomaticBackups(small_disk)
    backups.write_record(AttemptRecord())
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "filler").write_bytes(bytes(64 * 1024))
    backups.write_record(FAILED)
    assert AutomaticBackups(small_disk).read_record() == FAILED


@pytest.mark.parametrize("text", ["", "{", "[]", '{"failed":"many"}', " " * 512])
def test_an_unreadable_record_counts_from_zero(tmp_path: Path, text: str) -> None:
    backups = AutomaticBackups(tmp_path)
    (tmp_path / "backups.json").write_text(text)
    assert backups.read_record() == AttemptRecord()
    backups.write_record(FAILED)
    assert backups.read_record() == FAILED


def test_the_newest_backup_is_of_this_book(tmp_path: Path) -> None:
    """A file that says nothing counts: version 1.0 wrote such files."""
    backups = AutomaticBackups(tmp_path, OURS)
    backups.folder.mkdir()
    for number, book in enumerate([None, OURS, "b" * 32], start=1):
        file = backups.folder / f"vola-{number:06}-20261126T181500Z.dump"
        file.touch()
        append_checksum(file, BackupLabel(book, state="5" * 32))
    for number in (2, 1):
        newest = backups.newest()
        assert newest
        assert newest.number == number
        newest.path.unlink()
    assert backups.newest() is None


def test_a_folder_that_is_gone_has_no_newest_backup(tmp_path: Path) -> None:
    backups = AutomaticBackups(tmp_path)
    assert backups.newest() is None
    backups.folder.write_text("a file in its place")
    assert backups.newest() is None
    backups.folder.unlink()
    backups.folder.symlink_to(tmp_path / "a stick that was pulled")
    assert backups.newest() is None
