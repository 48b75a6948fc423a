"""A folder holds the backups of several books, and says which of them are damaged."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from ledger.transfer import backup, backup_file, backup_ring
from ledger.transfer.backup_file import (
    BOOK_LINE_BYTES,
    LINE_BYTES,
    BackupRefused,
    append_checksum,
    read_label,
)
from ledger.transfer.backup_ring import list_ring
from tests.support.api.command_line import run_vola
from tests.support.databases import DatabaseUrls, copy_database, drop_database
from tests.support.ledger.store_session import open_session
from tests.support.postgresql.cluster import Postgres


@pytest.fixture
def other_urls(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """The database of another book, with a session in it."""
    name = "vola_of_another_book"
    urls = copy_database(cluster, name)
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE vola.secret SET secret = '\\x0bad5eed'")
    pool = database.open_pool(urls.app, size=1)
    open_session(EventStore(pool))
    yield urls
    pool.close()
    drop_database(cluster, name)


def add(urls: DatabaseUrls, folder: Path, keep: int = 14) -> tuple[Path | None, list[str]]:
    """Back up into the folder; return the new file and what was said of others."""
    warnings: list[str] = []
    summary = backup.add_to_ring(urls.owner, folder, keep, warn=warnings.append)
    return summary.path if summary else None, warnings


def add_file(urls: DatabaseUrls, folder: Path, keep: int = 14) -> Path:
    path, warnings = add(urls, folder, keep)
    assert path is not None
    assert warnings == []
    return path


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def add_rotten_file(store: EventStore, urls: DatabaseUrls, folder: Path) -> Path:
    """Back up a new session, and change a bit of the file."""
    open_session(store)
    path = add_file(urls, folder)
    flip_a_bit(path)
    return path


def remove_book_line(path: Path) -> None:
    """Make the file what version 1.0 wrote."""
    label = read_label(path)
    assert label is not None
    path.write_bytes(path.read_bytes()[: -(BOOK_LINE_BYTES + LINE_BYTES)])
    append_checksum(path, label._replace(book=None))


def test_two_books_in_one_folder_remove_only_their_own_backups(
    store: EventStore, urls: DatabaseUrls, other_urls: DatabaseUrls, folder: Path
) -> None:
    other = add_file(other_urls, folder, keep=2)
    ours: list[Path] = []
    for _ in range(4):
        open_session(store)
        ours.append(add_file(urls, folder, keep=2))
    assert [file.path for file in list_ring(folder)] == [ours[3], ours[2], other]


def test_nothing_new_in_one_book_is_no_backup_of_the_other(
    store: EventStore, urls: DatabaseUrls, other_urls: DatabaseUrls, folder: Path
) -> None:
    open_session(store)
    add_file(urls, folder)
    add_file(other_urls, folder)
    for book in (urls, other_urls):
        assert add(book, folder) == (None, [])


def test_a_backup_of_version_1_0_is_assigned_by_its_content(
    store: EventStore, urls: DatabaseUrls, other_urls: DatabaseUrls, folder: Path
) -> None:
    open_session(store)
    files = add_file(urls, folder), add_file(other_urls, folder)
    for path in files:
        remove_book_line(path)
    newest = add_file(urls, folder, keep=1)
    assert [file.path for file in list_ring(folder)] == [newest, files[1]]


def test_a_file_that_tells_no_book_stays_and_is_named(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    unknown = folder / "vola-000001-20261126T120000Z.dump"
    unknown.write_bytes(b"half of someth")
    open_session(store)
    path, warnings = add(urls, folder, keep=1)
    assert [file.path for file in list_ring(folder)] == [path, unknown]
    (warning,) = warnings
    assert warning.startswith(f"{unknown} is damaged, or no backup of Vola")
    assert "delete it" in warning


def test_rot_in_the_newest_backup_is_said_and_another_is_made(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    rotten = add_rotten_file(store, urls, folder)
    path, warnings = add(urls, folder)
    assert path is not None
    (warning,) = warnings
    assert warning.startswith(f"{rotten} is damaged: its content does not have the checksum")
    rotten.unlink()
    assert add(urls, folder) == (None, [])


@pytest.mark.parametrize("is_new", [True, False])
def test_rot_in_an_earlier_backup_is_said(
    store: EventStore, urls: DatabaseUrls, folder: Path, is_new: bool
) -> None:
    files: list[Path] = []
    for _ in range(3):
        open_session(store)
        files.append(add_file(urls, folder))
    flip_a_bit(files[0])
    if is_new:
        open_session(store)
    path, warnings = add(urls, folder)
    assert (path is not None) == is_new
    (warning,) = warnings
    assert str(files[0]) in warning


def test_a_damaged_backup_takes_no_place_of_a_sound_one(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    files: list[Path] = []
    for _ in range(3):
        open_session(store)
        files.append(add_file(urls, folder, keep=3))
    flip_a_bit(files[1])
    open_session(store)
    files.append(add(urls, folder, keep=3)[0] or folder)
    assert [file.path for file in list_ring(folder)] == files[::-1], "three of them are sound"
    open_session(store)
    files.append(add(urls, folder, keep=3)[0] or folder)
    assert [file.path for file in list_ring(folder)] == [files[4], files[3], files[2]]


def test_of_large_earlier_backups_one_is_read_each_time(
    store: EventStore, urls: DatabaseUrls, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading all of them would make every backup slow."""
    monkeypatch.setattr(backup_ring, "SAMPLE_BYTES", 1)
    files: list[Path] = []
    for _ in range(4):
        open_session(store)
        files.append(add_file(urls, folder))
    for path in files[:-1]:
        flip_a_bit(path)
    assert len(add(urls, folder)[1]) == 1


def test_a_backup_that_is_damaged_when_read_again_is_not_kept(
    store: EventStore, urls: DatabaseUrls, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a disk does that loses what it was given. The earlier backups stay."""
    open_session(store)
    earlier = add_file(urls, folder)
    open_session(store)

    def write_badly(path: Path, *arguments: object) -> None:
        append_checksum(path, *arguments)  # type: ignore[arg-type]
        flip_a_bit(path)

    monkeypatch.setattr(backup_file, "append_checksum", write_badly)
    for write in (
        lambda: add(urls, folder, keep=1),
        lambda: backup.write_backup(urls.owner, folder),
    ):
        with pytest.raises(BackupRefused, match=r"was not kept: .* Look at that disk"):
            write()
    assert [path for path in folder.iterdir() if path.name != ".lock"] == [earlier]


def test_a_new_file_is_read_again_outside_of_a_transaction(
    store: EventStore, urls: DatabaseUrls, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading takes long for a large book, and a server may end transactions that are idle."""
    states: list[str] = []

    def read_states(*_: Path) -> None:
        with psycopg.connect(urls.super) as db:
            rows = db.execute(
                "SELECT state FROM pg_stat_activity WHERE datname = current_database()"
                " AND usename = 'vola_owner'"
            )
            states.extend(state for (state,) in rows)

    monkeypatch.setattr(backup, "verify_new", read_states)
    open_session(store)
    add_file(urls, folder)
    assert states == ["idle"]


def test_a_folder_that_cannot_be_synced_gets_its_backup(
    store: EventStore, urls: DatabaseUrls, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a network file system, on which fsync of a folder is an invalid argument."""
    fsync = os.fsync

    def sync_files_alone(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sync_files_alone)
    open_session(store)
    add_file(urls, folder, keep=1)
    open_session(store)
    add_file(urls, folder, keep=1)
    assert len(list_ring(folder)) == 1


def test_a_damaged_backup_does_not_make_the_command_fail(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    rotten = add_rotten_file(store, urls, folder)
    result = run_vola("backup", "--to", str(folder), **urls.environment)
    assert result.returncode == 0
    assert result.stderr.startswith(f"vola: {rotten} is damaged: ")
    assert result.stdout.startswith(f"{folder}/vola-000002-")
