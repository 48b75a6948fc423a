"""An embedded book is backed up daily and when it stops; no accident costs an earlier backup."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.server import backup_schedule
from api.server.backup_schedule import BackupSchedule
from engine.games.registry import GAMES
from ledger import embedded
from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store import connection_pool
from ledger.store.event_store import EventStore
from ledger.transfer.backup_file import BackupLabel, append_checksum
from ledger.transfer.backup_ring import TIME_FORMAT
from ledger.transfer.export import export_session
from tests.support import frozen_book
from tests.support.api.command_line import run_vola
from tests.support.api.http_client import RemoteSession, ask
from tests.support.databases import run_migrated_postgres
from tests.support.ledger.backups import (
    hold_up_backup,
    ring_numbers,
    unfinished_files,
    verify_ring,
    wait_for_backup,
    wait_for_record,
    wait_for_unfinished_file,
)
from tests.support.ledger.embedded_servers import has_exited
from tests.support.ledger.store_session import open_session
from tests.support.polling import wait_until
from tests.support.postgresql.cluster import Postgres
from tests.support.process_tree import has_argument, list_children
from tests.support.server_process import ServerProcess, run_server

ENOUGH_SECONDS = 60
"""The longest time for a backup, on a machine that is busy."""
SESSIONS = "SELECT session_id FROM vola.heads ORDER BY session_id"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Postgres]]:
    """A data folder and its running PostgreSQL."""
    data = tmp_path_factory.mktemp("book")
    with run_migrated_postgres(data) as postgres:
        yield data, postgres


@pytest.fixture
def data(book: tuple[Path, Postgres]) -> Path:
    """The data folder without backups, with a session that has never been backed up."""
    data, postgres = book
    for name in ("backups", "backups.json"):
        path = data / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    add_session(postgres)
    return data


def add_session(postgres: Postgres) -> None:
    pool = connection_pool.open_pool(postgres.app_url, size=1)
    open_session(EventStore(pool))
    pool.close()


@contextmanager
def running_schedule(schedule: BackupSchedule) -> Iterator[threading.Thread]:
    """Run the schedule as a server does."""
    thread = threading.Thread(target=schedule.run)
    thread.start()
    yield thread
    schedule.stop(seconds=ENOUGH_SECONDS)
    thread.join()


def run_embedded(data: Path) -> AbstractContextManager[ServerProcess]:
    """Return a context that runs a server with an embedded database."""
    return run_server(environment_of(data), data.with_name("server.log"))


@pytest.fixture
def new_book(tmp_path: Path) -> Path:
    """A data folder with a session, so that the first check of a server finds something new."""
    data = tmp_path / "var"
    with run_migrated_postgres(data) as postgres:
        add_session(postgres)
    return data


def environment_of(data: Path) -> dict[str, str]:
    return {"VOLA_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}


def test_a_stop_makes_a_backup_if_anything_is_new(book: tuple[Path, Postgres], data: Path) -> None:
    backups = AutomaticBackups(data)
    for expected in ([1], [1]):
        with running_schedule(BackupSchedule(data)):
            pass
        assert ring_numbers(backups.folder) == expected
    add_session(book[1])
    with running_schedule(BackupSchedule(data)):
        pass
    assert ring_numbers(backups.folder) == [2, 1]
    assert backups.read_record() == AttemptRecord(written=2)
    verify_ring(backups.folder)


@pytest.mark.parametrize("day", ["20161126", "20361126"])
def test_a_newest_backup_from_another_decade_is_followed_at_once(data: Path, day: str) -> None:
    folder = data / "backups"
    folder.mkdir()
    (folder / f"vola-000005-{day}T120000Z.dump").write_bytes(b"when the clock was wrong")
    with running_schedule(BackupSchedule(data)):
        wait_for_backup(data, 6)
    assert ring_numbers(folder) == [6, 5]


def test_a_new_book_beside_the_backups_of_another_is_backed_up(new_book: Path) -> None:
    """As after the folder of a book was emptied of all but its backups."""
    folder = new_book / "backups"
    folder.mkdir()
    file = folder / f"vola-000005-{datetime.now(UTC):{TIME_FORMAT}}.dump"
    file.touch()
    append_checksum(file, BackupLabel(book="b" * 32, state="5" * 32))
    with run_embedded(new_book):
        wait_for_backup(new_book, 6)


def test_a_server_of_low_priority_is_backed_up_as_well(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordinary user may not raise the priority of a process, such as a child of `nice -n 15`."""

    def set_priority(_which: int, _process: int, niceness: int) -> None:
        if niceness < 15:
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "getpriority", lambda *_: 15)
    monkeypatch.setattr(os, "setpriority", set_priority)
    BackupSchedule(data).make_backup()
    assert AutomaticBackups(data).read_record() == AttemptRecord(written=1)


def test_what_failed_at_a_stop_is_tried_again_at_the_next_start(data: Path) -> None:
    backups = AutomaticBackups(data)
    backups.folder.mkdir()
    today = datetime.now(UTC).strftime(TIME_FORMAT)
    (backups.folder / f"vola-000001-{today}.dump").write_bytes(b"made today")
    backups.write_record(AttemptRecord(written=1, failed=1, is_failing=True))
    with running_schedule(BackupSchedule(data)):
        wait_for_record(data, AttemptRecord(written=2, failed=1))
    assert ring_numbers(backups.folder) == [2, 1]


def test_a_failure_is_logged_once_and_counted_until_its_cause_is_gone(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    backups, schedule = AutomaticBackups(data), BackupSchedule(data)
    backups.folder.write_text("a file in the way")
    with caplog.at_level(logging.WARNING, "vola"):
        for _ in range(2):
            schedule.make_backup()
    assert [record.getMessage() for record in caplog.records] == [
        f"The automatic backup failed: Cannot write in {backups.folder}: Not a folder."
    ]
    assert backups.read_record() == AttemptRecord(failed=2, is_failing=True)
    backups.folder.unlink()
    schedule.make_backup()
    assert backups.read_record() == AttemptRecord(written=1, failed=2)
    verify_ring(backups.folder)


def test_a_damaged_backup_is_logged_and_is_no_failure(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    backups, schedule = AutomaticBackups(data), BackupSchedule(data)
    schedule.make_backup()
    rotten = backups.newest()
    assert rotten is not None
    rotten.path.write_bytes(rotten.path.read_bytes().replace(b"PGDMP", b"PGDMQ"))
    with caplog.at_level(logging.WARNING, "vola"):
        schedule.make_backup()
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{rotten.path} is damaged: ")
    assert backups.read_record() == AttemptRecord(written=2)


def test_nothing_is_made_where_the_data_folder_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The disk may be unmounted: files made in its place would be hidden once it is mounted."""
    schedule = BackupSchedule(tmp_path / "var")
    with caplog.at_level(logging.WARNING, "vola"):
        for _ in range(2):
            schedule.make_backup()
    (record,) = caplog.records
    assert record.getMessage() == (
        f"The automatic backup failed: There is no book in {tmp_path / 'var'}."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending_seconds", [ENOUGH_SECONDS, 0], ids=["ends", "is killed"])
def test_a_stop_waits_for_a_backup_no_longer_than_its_bound(
    book: tuple[Path, Postgres],
    data: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    ending_seconds: int,
) -> None:
    monkeypatch.setattr(backup_schedule, "ENDING_SECONDS", ending_seconds)
    backups, schedule = AutomaticBackups(data), BackupSchedule(data)
    backups.folder.mkdir()
    (backups.folder / "vola-000001-20161126T120000Z.dump").write_bytes(b"an earlier one")
    with hold_up_backup(book[1].owner_url), running_schedule(schedule) as thread:
        wait_for_unfinished_file(backups.folder)
        schedule.stop(seconds=0.5)
        thread.join(ENOUGH_SECONDS)
        assert not thread.is_alive()
    assert "seconds after the stop; the earlier ones are untouched" in caplog.text
    assert unfinished_files(backups.folder) == []
    assert ring_numbers(backups.folder) == [1]
    assert backups.read_record() == AttemptRecord(failed=1, is_failing=True)


def test_a_backup_that_is_killed_is_made_anew(book: tuple[Path, Postgres], data: Path) -> None:
    backups, schedule = AutomaticBackups(data), BackupSchedule(data)
    with hold_up_backup(book[1].owner_url):
        attempt = threading.Thread(target=schedule.make_backup)
        attempt.start()
        wait_for_unfinished_file(backups.folder)
        (process,) = [p for p in list_children(os.getpid()) if has_argument(p, "backup")]
        os.killpg(process, signal.SIGKILL)
        attempt.join()
    assert len(unfinished_files(backups.folder)) == 1
    assert backups.read_record() == AttemptRecord(failed=1, is_failing=True)
    schedule.make_backup()
    assert unfinished_files(backups.folder) == []
    assert ring_numbers(backups.folder) == [1]
    verify_ring(backups.folder)


def test_a_server_stopped_during_a_backup_completes_it(new_book: Path) -> None:
    """Play goes on meanwhile: the backup waits for a lock, but no phone waits for the backup."""
    data = new_book
    with run_embedded(data) as server, embedded.postgres(data) as postgres:
        phone = RemoteSession(server.url).open()
        assert server.process is not None
        with hold_up_backup(postgres.owner_url):
            wait_for_unfinished_file(data / "backups")
            assert phone.act({"type": "open_deal"}, {"type": "all_pass"}).status == 201
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(0.5)
        assert server.process.wait(ENOUGH_SECONDS) == 0
    assert ring_numbers(data / "backups") == [2, 1], "the second has the last deal"
    assert unfinished_files(data / "backups") == []
    verify_ring(data / "backups")


def test_a_second_ctrl_c_ends_the_wait_for_the_last_backup(new_book: Path) -> None:
    data = new_book
    with run_embedded(data) as server, embedded.postgres(data) as postgres:
        assert server.process is not None
        with hold_up_backup(postgres.owner_url):
            wait_for_unfinished_file(data / "backups")
            (worker,) = [p for p in list_children(server.pid) if has_argument(p, "worker")]
            server.process.send_signal(signal.SIGINT)
            wait_until(lambda: has_exited(worker))  # it is stopped before the last backup
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(ENOUGH_SECONDS) == 130, "0 without the second"
    assert unfinished_files(data / "backups") == []


def test_a_server_killed_during_a_backup_loses_neither(new_book: Path) -> None:
    data = new_book
    with run_embedded(data) as server:
        phone = RemoteSession(server.url).open()
        with embedded.postgres(data) as postgres, hold_up_backup(postgres.owner_url):
            wait_for_unfinished_file(data / "backups")
            server.kill()
        wait_for_backup(data, 1)
        verify_ring(data / "backups")
        server.start()
        assert phone.act({"type": "open_deal"}).status == 201
        assert server.stop(signal.SIGTERM) == 0
    assert ring_numbers(data / "backups") == [2, 1]


def test_a_restore_drill_brings_back_every_game_unchanged(new_book: Path, tmp_path: Path) -> None:
    old, new = new_book, tmp_path / "new"
    with run_embedded(old) as server:
        phones, _ = frozen_book.play_all(server.url)
        phones["polskt_pass"].settled()
        assert phones["spader"].get("/export").status == 200  # creates the book's signing key
        wait_for_record(old, AttemptRecord(written=1))
        metrics = ask(f"{server.url}/metrics").raw.decode().splitlines()
        assert {"vola_backups_total 1.0", "vola_backups_failed_total 0.0"} < {*metrics}
        assert server.stop(signal.SIGTERM) == 0
    folder = AutomaticBackups(old).folder
    by_hand = run_vola("backup", "--to", str(folder), **environment_of(old))
    assert by_hand.returncode == 0, by_hand.stderr  # a new one only if the stop made none
    newest = AutomaticBackups(old).newest()
    assert newest is not None
    restored = run_vola("restore", str(newest.path), **environment_of(new))
    assert restored.returncode == 0, restored.stderr
    audit = run_vola("audit", **environment_of(new))
    assert audit.stdout.endswith("no findings\n"), audit
    games, exports = read_exports(new)
    assert games == sorted(GAMES)
    assert (games, exports) == read_exports(old)


def read_exports(data: Path) -> tuple[list[str], dict[Any, str]]:
    """Return the games of a book, and the export of each session with its names."""
    with embedded.postgres(data) as postgres:
        pool = connection_pool.open_pool(postgres.app_url, size=2)
        store, issuer = EventStore(pool), ReceiptIssuer(pool)
        with psycopg.connect(postgres.app_url) as db:
            sessions = [session_id for (session_id,) in db.execute(SESSIONS)]
        games = sorted({store.load(s).opening.game for s in sessions})
        exports = {s: str(export_session(store, issuer, s, labelled=True)) for s in sessions}
        pool.close()
    return games, exports
