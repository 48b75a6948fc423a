"""Back up the whole database to one file, and restore it.

The file includes the secret that tokens are derived from and the key that signs receipts. Tokens
and receipts therefore stay valid after a restore, and anyone with the file can write to every
session. Roles are not in it: migrations grant them their rights again. The backup is consistent as
of one moment, while play goes on.
"""

import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import psycopg
from psycopg.conninfo import make_conninfo

from ledger.embedded import pg_tools
from ledger.embedded.errors import ServerFailed
from ledger.embedded.pg_tools import Progress
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.database_snapshot import database_snapshot
from ledger.transfer import backup_file, backup_ring
from ledger.transfer.backup_content import (
    read_book_in,
    read_migrations,
    verify_new,
    verify_readable,
)
from ledger.transfer.backup_file import BackupLabel, BackupRefused
from ledger.transfer.backup_ring import RingFile, Warn
from ledger.transfer.book_state import read_book_id, read_book_state

BOOK_EXISTS = "SELECT to_regclass('vola.heads') IS NOT NULL"
COUNT_SESSIONS_AND_EVENTS = "SELECT count(*), coalesce(sum(version), 0)::bigint FROM vola.heads"
HAS_CONTENT = "SELECT EXISTS (SELECT FROM vola.heads) OR EXISTS (SELECT FROM vola.groups)"
EXPORT_SNAPSHOT = """
SELECT pg_export_snapshot(), to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISS"Z"')
"""
KEEP_ALIVE = "SELECT 1"
COUNT_RELATIONS = """
SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
"""
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"

COMMON_OPTIONS = ("--no-owner", "--no-privileges", "--no-password")
DUMP_OPTIONS = (
    *COMMON_OPTIONS,
    "--format=custom",
    "--lock-wait-timeout=10000",
    "--no-unlogged-table-data",  # presence, which has expired by the time of a restore
)
RESTORE_OPTIONS = (*COMMON_OPTIONS, "--single-transaction", "--exit-on-error")
ARCHIVE_MAGIC = b"PGDMP"


@dataclass(frozen=True, kw_only=True)
class BookSummary:
    """The backup file `path`, and how much is in it."""

    path: Path
    sessions: int
    events: int


def write_backup(owner_url: str, target: Path, progress: Progress = lambda _: None) -> BookSummary:
    """Write a backup to `target`, or to a file named by the time if that is a folder.

    The file has mode 0600, and gets its name only when all of it is on the disk. Raise
    BackupRefused when it cannot be written or already exists; ServerFailed; psycopg.Error.
    """
    with _connect_to_book(owner_url) as db:
        label = BackupLabel(read_book_id(db), read_book_state(db))
        return _dump(db, owner_url, lambda moment: _target_path(target, moment), label, progress)


def add_to_ring(
    owner_url: str,
    folder: Path,
    keep: int,
    progress: Progress = lambda _: None,
    warn: Warn = lambda _: None,
) -> BookSummary | None:
    """Write the next backup of this book in `folder`, then remove all but its `keep` newest.

    Return None, and write nothing, when the newest backup holds everything already or the book is
    empty. The newest backup counts only if it matches its checksum; of the earlier ones, samples
    are read. `warn` gets a sentence for each that is damaged. When anything fails, the earlier
    backups stay. Raise BackupRefused, ServerFailed, psycopg.Error.
    """

    def check_space(count: int) -> None:
        backup_ring.check_free_space(folder)
        progress(count)

    try:
        with backup_ring.locked_ring(folder), _connect_to_book(owner_url) as db:
            # before the snapshot: a write in between makes another backup
            book = read_book_id(db)
            label = BackupLabel(book, read_book_state(db))
            backups = backup_ring.list_backups_of(book, folder, warn)
            damaged: set[RingFile] = set()
            if backups and backup_file.read_label(backups[0].path) == label:
                if backup_ring.is_sound(backups[0], warn):
                    backup_ring.check_samples(backups[1:], warn)
                    return None
                damaged.add(backups[0])
            if not fetch_value(db, HAS_CONTENT):
                return None
            backup_ring.check_free_space(folder)
            name_file = partial(backup_ring.next_path, folder)
            summary = _dump(db, owner_url, name_file, label, check_space)
            unread = [backup for backup in backups[: keep - 1] if backup not in damaged]
            damaged |= backup_ring.check_samples(unread, warn)
            backup_ring.remove_older(backups, keep - 1, damaged)
            return summary
    except OSError as error:
        raise BackupRefused(f"Cannot write in {folder}: {error.strerror}.") from error


@contextmanager
def _connect_to_book(owner_url: str) -> Iterator[Connection]:
    with psycopg.connect(owner_url, autocommit=True) as db:
        if not fetch_value(db, BOOK_EXISTS):
            raise BackupRefused("This database has no book in it yet: there is nothing to back up.")
        yield db


def _dump(
    db: Connection,
    owner_url: str,
    name_file: Callable[[str], Path],
    label: BackupLabel,
    progress: Progress,
) -> BookSummary:
    """Write a backup to the path that `name_file` returns for the moment of its snapshot."""
    program = pg_tools.find_pg_dump(_major(db))

    def report_progress(count: int) -> None:
        db.execute(KEEP_ALIVE)  # a proxy may cut a connection that is silent for too long
        progress(count)

    with ExitStack() as snapshot:
        snapshot.enter_context(database_snapshot(db))
        sessions, events = db.execute(COUNT_SESSIONS_AND_EVENTS).fetchone() or (0, 0)
        snapshot_id, moment = db.execute(EXPORT_SNAPSHOT).fetchone() or ("", "")
        path = name_file(moment)
        with backup_file.new_backup_file(path) as temporary:
            arguments = (*DUMP_OPTIONS, f"--snapshot={snapshot_id}")
            pg_tools.run_pg_dump(program, arguments, owner_url, temporary, report_progress)
            snapshot.close()  # the server may end a transaction that is idle for long
            backup_file.append_checksum(temporary, label)
            verify_new(temporary, path)
    return BookSummary(path=path, sessions=sessions, events=events)


def _target_path(target: Path, moment: str) -> Path:
    """Return the file to write. Raise BackupRefused."""
    try:
        path = target.joinpath(f"vola-{moment}.dump") if target.is_dir() else target
        exists = path.exists() or path.is_symlink()
    except OSError as error:
        raise BackupRefused(f"Cannot write {target}: {error.strerror}.") from error
    if exists:
        raise BackupRefused(f"{path} is there already; name another file, or a folder.")
    return path


def restore(
    owner_url: str,
    source: Path,
    known_migrations: frozenset[str],
    progress: Progress = lambda _: None,
) -> BookSummary:
    """Restore the backup `source` into an empty database: all of it or nothing.

    `known_migrations` are those of this version of Vola. The caller grants the roles their rights.
    Raise BackupRefused when the file is no backup, is damaged or of a newer version, or when the
    database is not empty; ServerFailed; psycopg.Error.
    """
    with open_backup(source) as file, psycopg.connect(owner_url, autocommit=True) as db:
        program = pg_tools.find_pg_restore(_major(db))
        _check_migrations(program, source, known_migrations)
        if fetch_value(db, COUNT_RELATIONS):
            raise BackupRefused(
                "Something is in this database already, and nothing is ever written over: "
                "name an empty one in DATABASE_URL, or a new folder in VOLA_DATA."
            )
        arguments = (*RESTORE_OPTIONS, f"--dbname={make_conninfo(dbname=db.info.dbname)}")
        try:
            pg_tools.run_pg_restore(program, arguments, owner_url, file, progress)
        except ServerFailed as failed:
            raise BackupRefused(
                f"{source} cannot be restored, and nothing of it was: {failed}"
            ) from failed
        sessions, events = db.execute(COUNT_SESSIONS_AND_EVENTS).fetchone() or (0, 0)
    return BookSummary(path=source, sessions=sessions, events=events)


def check_backup(source: Path, known_migrations: frozenset[str]) -> None:
    """Raise for what `restore` would refuse in the file whatever the database: BackupRefused,
    ServerFailed."""
    with open_backup(source):
        _check_migrations(pg_tools.find_newest_pg_restore(), source, known_migrations)


def _check_migrations(program: Path, source: Path, known_migrations: frozenset[str]) -> None:
    migrations = read_migrations(program, source)
    if not migrations:
        raise BackupRefused(f"{source} is no backup of Vola.")
    if newer_migrations := migrations - known_migrations:
        raise BackupRefused(
            f"{source} was made by a newer Vola ({max(newer_migrations)}); restore it with that."
        )


@contextmanager
def open_backup(source: Path) -> Iterator[BinaryIO]:
    """Yield the file, at its beginning. Raise BackupRefused if it cannot be read, is no dump or is
    damaged."""
    with ExitStack() as opened:
        try:
            mode = source.stat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise BackupRefused(
                    f"{source} is not a file; if it is a pipe, save the backup in a file first."
                )
            file = opened.enter_context(source.open("rb"))
            if file.read(len(ARCHIVE_MAGIC)) != ARCHIVE_MAGIC:
                raise BackupRefused(
                    f"{source} is no backup of Vola; what `vola export` wrote, `vola import` reads."
                )
            is_of_ring = backup_ring.parse_ring_file(source) is not None
            has_checksum = backup_file.verify_checksum(file, source, is_required=is_of_ring)
        except OSError as error:
            raise BackupRefused(f"Cannot read {source}: {error.strerror}.") from error
        if not has_checksum:
            verify_readable(source)
        yield file


def check_same_book(owner_url: str, source: Path) -> None:
    """Raise BackupRefused unless `source` is an undamaged backup of the book in this database: with
    the same secret and the same migrations. Raise ServerFailed; psycopg.Error."""
    with psycopg.connect(owner_url) as db:
        book = read_book_id(db)
        applied = {name for (name,) in db.execute(APPLIED_MIGRATIONS)}
        program = pg_tools.find_pg_restore(_major(db))
    with open_backup(source):  # compares the file with its checksum
        pass
    saved_book = read_book_in(program, source)
    if saved_book is None:
        raise BackupRefused(f"{source} is no backup of Vola.")
    if saved_book != book:
        raise BackupRefused(f"{source} is a backup of another book.")
    if read_migrations(program, source) != applied:
        raise BackupRefused(f"{source} was made before the last migration: make a new backup.")


def _major(db: Connection) -> int:
    return db.info.server_version // 10000
