"""Migrations of a book that is in use: a backup comes first."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

import migrations
from ledger.embedded.private_files import make_folder
from ledger.proofs.signing_key import load_signing_key
from ledger.store.connection_pool import UnsuitableDatabase, fetch_value
from ledger.transfer import backup
from ledger.transfer.backup import BookSummary
from ledger.transfer.backup_file import PART, BackupRefused

LOCK_UPGRADE = "SELECT pg_advisory_lock(7316053)"  # the number before it is of the migrations
HAS_OTHER_TABLES = """
SELECT EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_'
       AND n.nspname NOT IN ('information_schema', 'vola', 'projections')
       AND c.oid IS DISTINCT FROM to_regclass('public.vola_migrations')
       AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'))
"""
"""Whether there are tables that are neither Vola's nor an extension's."""
FOLDER = "migration-backups"
"""In the data folder of an embedded book; nothing deletes its files."""
MAX_AGE_SECONDS = 24 * 60 * 60


def check_not_outdated(app_url: str) -> None:
    """Raise UnsuitableDatabase if a newer Vola has changed the tables in a way that this version
    cannot work with. Raise psycopg.Error."""
    if required := migrations.newer_required_migration(app_url):
        raise UnsuitableDatabase(
            f"A newer Vola has changed the tables of this database ({required}) so that this "
            "version cannot work with them: install the newer one."
        )


def migrate_if_needed(
    data: Path | None, *, app_url: str, owner_url: str, audit_url: str, must_exist: bool
) -> None:
    """Apply what is pending before a command works on the book.

    `data` is the folder of an embedded book, which is backed up first if its tables change. The
    tables of another book in use are left to `vola migrate`, as are those of a new book beside
    tables of another program, and with `must_exist` those of an empty database: then raise
    UnsuitableDatabase. Also raise BackupRefused, ServerFailed or psycopg.Error.
    """
    try:
        plan, has_rights = migrations.read_plan(app_url), True
    except psycopg.errors.InsufficientPrivilege as error:
        if data is None:
            raise UnsuitableDatabase(
                "The app's role has no rights in this database, as after a restore that was "
                "interrupted: run `vola migrate`, which grants the roles what they need."
            ) from error
        # a restore was killed before it granted the roles their rights
        plan, has_rights = migrations.read_plan(owner_url), False
    if not plan.files and has_rights:
        return
    if plan.is_new and must_exist:
        setting = "DATABASE_URL" if data is None else "VOLA_DATA"
        raise UnsuitableDatabase(
            f"This database has no book in it yet; {setting} says where the book lies."
        )
    if plan.is_new and data is None:
        with psycopg.connect(app_url) as db:
            if fetch_value(db, HAS_OTHER_TABLES):
                raise UnsuitableDatabase(
                    "This database has tables of another program: name one of its own for Vola in "
                    "DATABASE_URL, or run `vola migrate` to make Vola's tables beside the others."
                )
    if plan.changes_tables and data is None:
        raise UnsuitableDatabase(
            "The tables of this database are those of an earlier Vola "
            f"({plan.files[0]} is pending): run `vola migrate`, which lists the changes and asks "
            "for a backup."
        )
    with upgrade_lock(owner_url), explain_missing_rights():
        if data is not None and migrations.read_plan(owner_url).changes_tables:
            back_up_embedded(data, owner_url)
        apply_migrations(owner_url=owner_url, app_url=app_url, audit_url=audit_url)


def apply_migrations(*, owner_url: str, app_url: str, audit_url: str) -> list[str]:
    """Apply what is pending and return it. Also create the book's first signing key, so that every
    backup holds it: a restored book that made another could not be checked with earlier receipts.
    """
    applied = migrations.apply(owner_url, app_url=app_url, audit_url=audit_url)
    with psycopg.connect(owner_url) as db:
        load_signing_key(db)
    return applied


@contextmanager
def explain_missing_rights() -> Iterator[None]:
    """Raise UnsuitableDatabase when another role than the owner runs the migration."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise UnsuitableDatabase(
            "Only the owner of this database may make Vola's tables, so name it in "
            f"DATABASE_OWNER_URL. The database said: {str(error).splitlines()[0]}."
        ) from error


@contextmanager
def upgrade_lock(owner_url: str) -> Iterator[None]:
    """Wait for other processes that back up or migrate, and keep them out. Raise psycopg.Error."""
    with psycopg.connect(owner_url, autocommit=True) as db:
        db.execute(LOCK_UPGRADE)  # released when the connection closes
        yield


def back_up_embedded(
    data: Path, owner_url: str, progress: Callable[[int], None] = lambda _: None
) -> BookSummary:
    """Back up an embedded book into its own data folder before its tables change, under
    `upgrade_lock`. Raise BackupRefused, ServerFailed or psycopg.Error."""
    folder = data / FOLDER
    try:
        make_folder(folder)
        folder.chmod(0o700)
        for unfinished in folder.glob(f".*{PART}"):  # of an upgrade that was killed
            unfinished.unlink()
    except OSError as error:
        raise BackupRefused(f"Cannot write {folder}: {error.strerror}.") from error
    return backup.write_backup(owner_url, folder, progress)


def check_backup(owner_url: str, file: Path) -> None:
    """Raise BackupRefused unless `file` is a backup of this very book, with the tables as they are,
    and was written within MAX_AGE_SECONDS."""
    backup.check_same_book(owner_url, file)
    age_seconds = time.time() - file.stat().st_mtime
    if age_seconds < -MAX_AGE_SECONDS:
        raise BackupRefused(
            f"{file} has a date in the future, so its age is unknown: make a new one."
        )
    if age_seconds > MAX_AGE_SECONDS:
        raise BackupRefused(
            f"{file} is {age_seconds // 3600:.0f} hours old; a backup before a migration may be "
            f"{MAX_AGE_SECONDS // 3600} hours old at most: make a new one."
        )
