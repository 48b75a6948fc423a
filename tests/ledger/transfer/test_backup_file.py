"""A backup file carries its checksum: what is damaged is refused before anything is restored."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

import migrations
from ledger.embedded import pg_tools
from ledger.embedded.errors import ServerFailed
from ledger.store.event_store import EventStore
from ledger.transfer import backup, backup_file
from ledger.transfer.backup_file import (
    BOOK_LINE_BYTES,
    LINE_BYTES,
    NO_HARD_LINKS,
    BackupLabel,
    BackupRefused,
    append_checksum,
    new_backup_file,
    read_label,
    verify_checksum,
)
from tests.support.databases import DatabaseUrls, create_database, drop_database
from tests.support.ledger.store_session import play_e1
from tests.support.postgresql.cluster import Postgres
from tests.support.small_disk import mounted_disk

LABEL = BackupLabel(book="b00c" * 8, state="5eed" * 8)
RING_NAME = "vola-000007-20261126T181500Z.dump"


@pytest.fixture
def empty(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """A database without tables on the same server."""
    yield create_database(cluster, "vola_for_damaged_files")
    drop_database(cluster, "vola_for_damaged_files")


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.dump"
    with new_backup_file(path) as temporary:
        temporary.write_bytes(b"PGDMP and what follows")
        append_checksum(temporary, LABEL)
    return path


def verify(path: Path, *, is_required: bool = False) -> None:
    with path.open("rb") as file:
        verify_checksum(file, path, is_required=is_required)
        assert file.tell() == 0


def failing_call(code: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def restore(urls: DatabaseUrls, path: Path) -> backup.BookSummary:
    return backup.restore(urls.owner, path, frozenset(step.name for step in migrations.STEPS))


def test_a_new_file_is_private_and_has_its_checksum(small_file: Path) -> None:
    assert stat.S_IMODE(small_file.stat().st_mode) == 0o600
    assert read_label(small_file) == LABEL
    verify(small_file, is_required=True)


def test_every_changed_byte_is_found(small_file: Path) -> None:
    content = small_file.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 0x20
        small_file.write_bytes(changed)
        with pytest.raises(BackupRefused, match="is damaged"):
            verify(small_file, is_required=True)


def test_a_file_cut_inside_its_last_line_is_damaged(small_file: Path) -> None:
    content = small_file.read_bytes()
    for missing in (1, 64, LINE_BYTES - len(b"\nvola-backup "), LINE_BYTES, LINE_BYTES + 8):
        small_file.write_bytes(content[:-missing])
        with pytest.raises(BackupRefused, match="its end is missing"):
            verify(small_file)
    assert read_label(small_file) is None


def test_only_files_of_earlier_versions_may_lack_the_checksum(small_file: Path) -> None:
    small_file.write_bytes(small_file.read_bytes()[: -(BOOK_LINE_BYTES + LINE_BYTES)])
    verify(small_file)
    with pytest.raises(BackupRefused, match="its end is missing"):
        verify(small_file, is_required=True)


def test_a_block_that_raises_leaves_no_file(tmp_path: Path) -> None:
    def write_half() -> None:
        with new_backup_file(tmp_path / "book.dump") as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_the_next_one_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    path, other = tmp_path / "book [1].dump", tmp_path / ".book [1].dump.x.part"
    left = tmp_path / ".book [1].dump.0123abcd.part"
    left.touch()
    other.touch()
    with new_backup_file(path) as temporary:
        assert not left.exists()
        with new_backup_file(path):
            assert temporary.exists(), "it is not finished, but its process lives"
        path.unlink()
    assert sorted(tmp_path.iterdir()) == [other, path]


def test_a_read_only_folder_is_reported_with_the_name_of_the_file(tmp_path: Path) -> None:
    with mounted_disk(tmp_path / "disk", kib=64) as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        file = disk / "book.dump"
        with (
            pytest.raises(BackupRefused, match=f"Cannot write {file}: Read-only file system."),
            new_backup_file(file),
        ):
            pytest.fail("there is a file to write to")


@pytest.mark.parametrize("code", sorted(NO_HARD_LINKS))
def test_a_file_system_without_hard_links_has_backups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(os, "link", failing_call(code))
    with new_backup_file(tmp_path / "book.dump") as temporary:
        temporary.write_bytes(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["book.dump"]


def test_a_failed_hard_link_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", failing_call(errno.EIO))
    file = tmp_path / "book.dump"
    with (
        pytest.raises(BackupRefused, match=f"Cannot write {file}: Input/output error."),
        new_backup_file(file) as temporary,
    ):
        temporary.write_bytes(b"whole")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_while_it_is_read_is_reported(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bytes can be read, the checksum at the end cannot."""
    monkeypatch.setattr(backup_file, "verify_checksum", failing_call(errno.EIO))
    with (
        pytest.raises(BackupRefused, match=f"Cannot read {small_file}: Input/output error."),
        backup.open_backup(small_file),
    ):
        pytest.fail("it was read")


def test_one_wrong_byte_anywhere_restores_nothing(
    store: EventStore, urls: DatabaseUrls, empty: DatabaseUrls, tmp_path: Path
) -> None:
    play_e1(store)
    file = tmp_path / RING_NAME
    backup.write_backup(urls.owner, file)
    content = file.read_bytes()
    for place in (3, len(content) // 2, len(content) - 2):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(BackupRefused, match=r"damaged|no backup of Vola"):
            restore(empty, file)
    file.write_bytes(content[:-LINE_BYTES])
    with pytest.raises(BackupRefused, match="its end is missing"):
        restore(empty, file)
    file.write_bytes(content)
    assert restore(empty, file).sessions == 1


def test_pg_restore_alone_reads_the_file(
    cluster: Postgres, store: EventStore, urls: DatabaseUrls, empty: DatabaseUrls, tmp_path: Path
) -> None:
    """pg_restore ignores the checksum line after the archive."""
    session_id = play_e1(store)
    file = tmp_path / "book.dump"
    backup.write_backup(urls.owner, file)
    command = [str(cluster.bin / "pg_restore"), "--no-owner", "--no-privileges"]
    subprocess.run([*command, f"--dbname={empty.owner}", str(file)], check=True)
    with psycopg.connect(empty.owner) as db:
        row = db.execute("SELECT hash FROM vola.heads WHERE session_id = %s", [session_id])
        assert row.fetchall() == [(store.load(session_id).hash,)]


def test_without_a_pg_restore_no_backup_is_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the program that is missing; the file may be whole."""

    def find_none() -> Path:
        raise ServerFailed("No pg_restore is at hand.")

    monkeypatch.setattr(pg_tools, "find_newest_pg_restore", find_none)
    file = tmp_path / "book.dump"
    file.write_bytes(backup.ARCHIVE_MAGIC + b" without a checksum")
    with pytest.raises(ServerFailed, match="at hand"), backup.open_backup(file):
        pass
