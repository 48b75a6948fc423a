"""A folder keeps the newest backups by number, whatever the clock says."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from ledger.store.event_store import EventStore
from ledger.transfer import backup, backup_ring
from ledger.transfer.backup_file import BackupLabel, BackupRefused, append_checksum
from ledger.transfer.backup_ring import DAY_SECONDS, is_due, list_ring
from ledger.transfer.book_state import TABLES_OF_ENTRIES, read_book_id
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.databases import DatabaseUrls
from tests.support.ledger.store_session import open_session, play_e1
from tests.support.small_disk import mounted_disk

NOW = int(datetime(2026, 11, 26, 18, 15, tzinfo=UTC).timestamp())
TEN_YEARS = 3653 * DAY_SECONDS
IMPLIED_TABLES = frozenset(
    {
        "events",  # each append writes the head of its session
        *("stored_replies", "creation_keys", "group_stored_replies", "group_creation_keys"),
        *("counters", "presence", "settlement_failures"),  # nothing that people enter
    }
)
"""The tables that a state need not read: they change together with others, or without any input."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk smaller than what a backup leaves free, mounted for the test."""
    with mounted_disk(tmp_path / "disk", kib=64) as disk:
        yield disk


def add(urls: DatabaseUrls, folder: Path, keep: int = 14) -> Path | None:
    summary = backup.add_to_ring(urls.owner, folder, keep)
    return summary.path if summary else None


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def numbers(folder: Path) -> list[int]:
    return [file.number for file in list_ring(folder)]


def put_files(urls: DatabaseUrls, folder: Path, *numbered_days: tuple[int, str]) -> None:
    """Put older backups of the book into the folder."""
    with psycopg.connect(urls.owner) as db:
        label = BackupLabel(book=read_book_id(db), state="0" * 32)
    for number, day in numbered_days:
        path = folder / f"vola-{number:06}-{day}T120000Z.dump"
        path.write_bytes(b"an older backup")
        append_checksum(path, label)


def test_a_day_is_counted_by_either_side_of_the_clock() -> None:
    assert is_due(None, NOW)
    for seconds in (0, 1, DAY_SECONDS - 1):
        assert not is_due(NOW - seconds, NOW)
        assert not is_due(NOW + seconds, NOW), "a clock put back by less than a day"
    for seconds in (DAY_SECONDS, TEN_YEARS):
        assert is_due(NOW - seconds, NOW)
        assert is_due(NOW + seconds, NOW), "made when the clock was ahead"


def test_fourteen_files_stay_and_others_are_left_alone(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    put_files(urls, folder, *((number, f"202610{number:02}") for number in range(1, 17)))
    own = ["vola-20261121T201500Z.dump", "vola-000001-20261001T120000Z.dump.copy", "notes.txt"]
    for name in own:
        (folder / name).write_text("of the host")
    open_session(store)
    path = add(urls, folder)
    assert path is not None
    assert path.name.startswith("vola-000017-")
    assert numbers(folder) == list(range(17, 3, -1))
    assert set(own) < set(names(folder))


def test_a_clock_ten_years_ahead_costs_one_file_and_no_backup(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    """The number says which is newest, so later backups outlast the one dated 2036."""
    put_files(urls, folder, (1, "20261124"), (2, "20261125"), (3, "20361126"), (4, "20261126"))
    for _ in range(2):
        open_session(store)
        add(urls, folder, keep=3)
    assert numbers(folder) == [6, 5, 4]
    assert not [name for name in names(folder) if "-2036" in name]


def test_a_clock_that_was_put_back_removes_only_the_oldest(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    put_files(urls, folder, (7, "20261125"), (8, "20261126"), (9, "20161126"))
    open_session(store)
    add(urls, folder, keep=3)
    assert numbers(folder) == [10, 9, 8]


def test_the_number_grows_beyond_its_six_digits(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    put_files(urls, folder, (999_999, "20261126"))
    for _ in range(2):
        open_session(store)
        add(urls, folder, keep=2)
    assert numbers(folder) == [1_000_001, 1_000_000]


def test_nothing_new_makes_no_file(store: EventStore, urls: DatabaseUrls, folder: Path) -> None:
    assert add(urls, folder) is None, "an empty book"
    play_e1(store)
    first = add(urls, folder)
    assert first is not None
    assert add(urls, folder) is None
    open_session(store)
    second = add(urls, folder)
    assert names(folder) == [first.name, second.name if second else ""]


def test_a_change_without_an_event_is_new(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    """An erased name must not wait for the next deal to leave the newest backup."""
    play_e1(store)
    add(urls, folder)
    with psycopg.connect(urls.owner) as db:
        db.execute("DELETE FROM vola.players WHERE player_id = 'p1'")
    assert add(urls, folder) is not None
    with psycopg.connect(urls.app) as db:
        db.execute("INSERT INTO vola.counters (name, count) VALUES ('request', 1)")
    assert add(urls, folder) is None, "counted requests are nothing that people entered"


def test_every_table_is_read_or_changes_with_one_that_is(urls: DatabaseUrls) -> None:
    with psycopg.connect(urls.owner) as db:
        rows = db.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'vola'::regnamespace"
            " AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        tables = {name for (name,) in rows}
    read = set(TABLES_OF_ENTRIES.split())
    assert not read & IMPLIED_TABLES
    assert read | IMPLIED_TABLES == tables


@pytest.mark.parametrize("table", ["objections", "group_events"])
def test_a_book_that_lacks_a_table_of_this_version_is_backed_up(
    store: EventStore, urls: DatabaseUrls, folder: Path, table: str
) -> None:
    """As before each migration that adds one."""
    open_session(store)
    with psycopg.connect(urls.owner) as db:
        db.execute(f"DROP TABLE vola.{table}")
    assert add(urls, folder) is not None
    assert add(urls, folder) is None


def test_a_write_that_commits_after_a_later_one_is_backed_up(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    sessions = open_session(store), open_session(store)
    with psycopg.connect(urls.owner) as early, psycopg.connect(urls.owner) as late:
        for db, session_id in zip((early, late), sessions, strict=True):
            db.execute("UPDATE vola.sessions SET title = 'E1' WHERE session_id = %s", (session_id,))
        late.commit()
        assert add(urls, folder) is not None
        early.commit()
    assert add(urls, folder) is not None
    assert add(urls, folder) is None


def test_a_damaged_newest_file_does_not_count(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    open_session(store)
    path = add(urls, folder)
    assert path is not None
    path.write_bytes(path.read_bytes()[:-1])
    assert add(urls, folder) is not None


def test_what_a_killed_backup_left_is_removed_by_the_next(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    left = folder / ".vola-000003-20261126T181500Z.dump.0123abcd.part"
    left.write_bytes(b"half")
    (folder / ".other.part").write_bytes(b"of the host")
    open_session(store)
    path = add(urls, folder)
    assert path is not None
    assert names(folder) == [".other.part", path.name]


def test_simultaneous_backups_make_one_file(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    """The later ones wait for the first and find that nothing is new."""
    play_e1(store)
    paths: list[Path | None] = []
    threads = [threading.Thread(target=lambda: paths.append(add(urls, folder))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(folder)) == 1
    assert paths.count(None) == 2


def test_a_disk_that_is_nearly_full_keeps_its_last_space(
    store: EventStore, urls: DatabaseUrls, small_disk: Path
) -> None:
    put_files(urls, small_disk, (1, "20261125"))
    open_session(store)
    with pytest.raises(BackupRefused, match=r"0 MiB left.*leaves 64 free.*free some space"):
        add(urls, small_disk, keep=1)
    assert names(small_disk) == ["vola-000001-20261125T120000Z.dump"]


def test_a_backup_that_would_use_up_the_last_space_is_given_up(
    store: EventStore, urls: DatabaseUrls, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fits on the disk, but would leave too little space free."""
    monkeypatch.setattr(backup_ring, "RESERVE_BYTES", 40 * 1024)
    open_session(store)
    with pytest.raises(BackupRefused, match="free some space on that disk"):
        add(urls, small_disk)
    assert names(small_disk) == []


def test_a_disk_that_runs_full_leaves_no_half_file(
    store: EventStore, urls: DatabaseUrls, small_disk: Path
) -> None:
    put_files(urls, small_disk, (1, "20261125"))
    open_session(store)
    (small_disk / "filler").write_bytes(bytes(32 * 1024))
    result = run_vola("backup", "-o", str(small_disk / "book.dump"), **urls.environment)
    assert_refused(result, "No space left on device")
    assert names(small_disk) == ["filler", "vola-000001-20261125T120000Z.dump"]


def test_a_folder_that_is_read_only_is_reported_and_works_again(
    store: EventStore, urls: DatabaseUrls, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_ring, "RESERVE_BYTES", 0)
    remount = ["mount", "-o", "size=1m,remount"]
    open_session(store)
    subprocess.run([*remount, "-r", str(small_disk)], check=True)
    with pytest.raises(BackupRefused, match=r"Cannot write in .*Read-only file system"):
        add(urls, small_disk)
    assert names(small_disk) == []
    subprocess.run([*remount, "-w", str(small_disk)], check=True)
    assert add(urls, small_disk) is not None


def test_the_command_adds_to_the_folder_of_a_timer(
    store: EventStore, urls: DatabaseUrls, folder: Path
) -> None:
    put_files(urls, folder, (1, "20261124"), (2, "20261125"))
    play_e1(store)
    command = ("backup", "--to", str(folder), "--keep", "2")
    result = run_vola(*command, **urls.environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{folder}/vola-000003-")
    assert result.stdout.endswith(": 1 session, 70 events\n")
    assert numbers(folder) == [3, 2]
    again = run_vola(*command, **urls.environment)
    assert (again.returncode, again.stdout) == (0, "nothing new to back up\n")


def test_the_command_names_no_last_backup_of_an_empty_book(
    urls: DatabaseUrls, folder: Path
) -> None:
    result = run_vola("backup", "--to", str(folder), **urls.environment)
    assert (result.returncode, result.stdout) == (0, "nothing new to back up\n")
    assert names(folder) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--to", "/nowhere/at/all"), "/nowhere/at/all"),
        (("--to", ".", "-o", "book.dump"), "choose one"),
        (("--keep", "3"), "--keep"),
        (("--to", ".", "--keep", "0"), "--keep"),
    ],
)
def test_a_misused_option_is_named(
    urls: DatabaseUrls, arguments: tuple[str, ...], word: str
) -> None:
    assert_refused(run_vola("backup", *arguments, **urls.environment), word)
