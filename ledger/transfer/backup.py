"""Back up the whole database to one file, and restore it.

The file includes the secret that tokens are derived from and the key that signs receipts. Tokens
and receipts therefore stay valid after a restore, and anyone with the file can write to every
session. Roles are not in it: migrations grant them their rights again. The backup is consistent as
of one moment, while play goes on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from ledger.transfer import backup_ring
from ledger.transfer.backup_file import (
    BackupRefused,
    append_checksum,
    new_backup_file,
    read_state,
    verify_checksum,
)
from ledger.transfer.book_state import read_book_state

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

COMMON_OPTIONS = ("--no-owner", "--no-privileges", "--no-password")
DUMP_OPTIONS = (
    *(*COMMON_OPTIONS, "--format=custom", "--lock-wait-timeout=10000"),
    "--no-unlogged-table-data",  # presence, which has expired by the time of a restore
)
RESTORE_OPTIONS = (*COMMON_OPTIONS, "--single-transaction", "--exit-on-error")
MIGRATIONS_OPTIONS = ("--data-only", "--schema=public", "--table=vola_migrations", "--file=-")
IDENTITY_OPTIONS = ("--data-only", "--schema=vola", "--table=secret", "--file=-")
BOOK_IDENTITY = "SELECT secret FROM vola.secret"
APPLIED_MIGRATIONS = "SELECT name FROM public.vola_migrations"
ARCHIVE_MAGIC = b"PGDMP"


@dataclass(frozen=True, kw_only=True)
class BookSummary:
    """The content of a backup."""

    path: Path
    evenings: int
    events: int


def write_backup(owner_url: str, target: Path, progress: Progress = lambda _: None) -> BookSummary:
    """Write a backup to `target`, or to a file named by the time if that is a folder.

    The file has mode 0600, and gets its name only when all of it is on the disk. BackupRefused when
    it cannot be written or already exists; ServerFailed; psycopg.Error.
    """
    with _connect_to_book(owner_url) as db:
        state = read_book_state(db)
        return _dump(db, owner_url, lambda moment: _target_path(target, moment), state, progress)


def add_to_ring(
    owner_url: str, folder: Path, keep: int, progress: Progress = lambda _: None
) -> BookSummary | None:
    """Write the next backup of the ring in `folder`, then remove all but the `keep` newest.

    Return None, and write nothing, when the newest backup holds everything already or the book is
    empty. When anything fails, the earlier backups stay. BackupRefused, ServerFailed,
    psycopg.Error.
    """

    def check_space(count: int) -> None:
        backup_ring.check_free_space(folder)
        progress(count)

    try:
        with backup_ring.locked_ring(folder), _connect_to_book(owner_url) as db:
            # before the snapshot: a write in between makes another backup
            state = read_book_state(db)
            newest = next(iter(backup_ring.list_ring(folder)), None)
            is_unchanged = newest is not None and read_state(newest.path) == state
            if is_unchanged or not fetch_value(db, HAS_CONTENT):
                return None
            backup_ring.check_free_space(folder)
            name_file = partial(backup_ring.next_path, folder)
            summary = _dump(db, owner_url, name_file, state, check_space)
            backup_ring.remove_oldest(folder, keep)
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
    state: str,
    progress: Progress,
) -> BookSummary:
    """Write a backup to the path that `name_file` returns for the moment of its snapshot."""
    program = pg_tools.find_pg_dump(_major(db))
    with database_snapshot(db):
        evenings, events = db.execute(COUNT_SESSIONS_AND_EVENTS).fetchone() or (0, 0)
        snapshot_id, moment = db.execute(EXPORT_SNAPSHOT).fetchone() or ("", "")
        path = name_file(moment)

        def report_progress(count: int) -> None:
            db.execute(KEEP_ALIVE)  # a proxy may cut a connection that is silent for too long
            progress(count)

        with new_backup_file(path) as temporary:
            arguments = (*DUMP_OPTIONS, f"--snapshot={snapshot_id}")
            pg_tools.run_pg_dump(program, arguments, owner_url, temporary, report_progress)
            append_checksum(temporary, state)
    return BookSummary(path=path, evenings=evenings, events=events)


def _target_path(target: Path, moment: str) -> Path:
    """Return the file to write. BackupRefused."""
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
    BackupRefused when the file is no backup, is damaged or of a newer version, or when the database
    is not empty; ServerFailed; psycopg.Error.
    """
    with open_backup(source) as file, psycopg.connect(owner_url, autocommit=True) as db:
        program = pg_tools.find_pg_restore(_major(db))
        steps = _migrations_in(program, source)
        if not steps:
            raise BackupRefused(f"{source} is no backup of Vola.")
        if steps - known_migrations:
            raise BackupRefused(
                f"{source} was made by a newer Vola ({max(steps - known_migrations)}); "
                "restore it with that."
            )
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
        evenings, events = db.execute(COUNT_SESSIONS_AND_EVENTS).fetchone() or (0, 0)
    return BookSummary(path=source, evenings=evenings, events=events)


@contextmanager
def open_backup(source: Path) -> Iterator[BinaryIO]:
    """Yield the file, at its beginning. BackupRefused if it cannot be read, is no dump or is
    damaged."""
    try:
        file = source.open("rb")
    except OSError as error:
        raise BackupRefused(f"Cannot read {source}: {error.strerror}.") from error
    with file:
        if file.read(len(ARCHIVE_MAGIC)) != ARCHIVE_MAGIC:
            raise BackupRefused(f"{source} is no backup of Vola.")
        is_of_ring = backup_ring.parse_ring_file(source) is not None
        verify_checksum(file, source, is_required=is_of_ring)
        yield file


def check_same_book(owner_url: str, source: Path) -> None:
    """Raise BackupRefused unless `source` is an undamaged backup of the book in this database: with
    the same secret and the same migrations. ServerFailed; psycopg.Error."""
    with psycopg.connect(owner_url) as db:
        secret = fetch_value(db, BOOK_IDENTITY)
        applied = {name for (name,) in db.execute(APPLIED_MIGRATIONS)}
        program = pg_tools.find_pg_restore(_major(db))
    with open_backup(source):  # compares the file with its checksum
        pass
    saved = _rows_in(program, source, IDENTITY_OPTIONS)
    if not saved:
        raise BackupRefused(f"{source} is no backup of Vola.")
    if saved[0][-1].removeprefix("\\\\x") != secret.hex():
        raise BackupRefused(f"{source} is a backup of another book.")
    if _migrations_in(program, source) != applied:
        raise BackupRefused(f"{source} was made before the last migration: make a new backup.")


def _migrations_in(program: Path, source: Path) -> set[str]:
    """Return the migrations that the backed-up database has; none if it is not one of Vola."""
    return {row[0] for row in _rows_in(program, source, MIGRATIONS_OPTIONS)}


def _rows_in(program: Path, source: Path, options: tuple[str, ...]) -> list[list[str]]:
    """Return the rows of the table that `options` name, as COPY writes their columns."""
    try:
        text = pg_tools.read_archive(program, (*options, str(source)))
    except ServerFailed as failed:
        if "unsupported version" in str(failed):  # of the archive, which PostgreSQL 17 has changed
            raise BackupRefused(
                f"{source} was made by a newer PostgreSQL than this one: restore it into a newer "
                "one, or move the book with `vola export --all` and `vola import`."
            ) from failed
        raise BackupRefused(f"{source} cannot be read: {failed}") from failed
    _, _, rows = text.partition("FROM stdin;\n")
    return [row.split("\t") for row in rows.partition("\n\\.")[0].splitlines() if row]


def _major(db: Connection) -> int:
    return db.info.server_version // 10000
