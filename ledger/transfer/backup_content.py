"""What a backup file says of its book, read by pg_restore without a database."""

import os
from pathlib import Path

from ledger.embedded import pg_tools
from ledger.embedded.errors import ServerFailed
from ledger.transfer.backup_file import BackupDamaged, BackupRefused, read_label, verify_on_disk
from ledger.transfer.book_state import book_id

MIGRATIONS_OPTIONS = ("--data-only", "--schema=public", "--table=vola_migrations", "--file=-")
SECRET_OPTIONS = ("--data-only", "--schema=vola", "--table=secret", "--file=-")
BYTEA_PREFIX = "\\\\x"
"""How COPY writes the beginning of a binary value."""


def read_migrations(program: Path, source: Path) -> set[str]:
    """Return the migrations that the backed-up database has; none if it is not one of Vola.
    Raise BackupRefused when pg_restore cannot read the file."""
    return {row[0] for row in _rows_in(program, source, MIGRATIONS_OPTIONS)}


def read_book_in(program: Path, source: Path) -> str | None:
    """Return the id of the backed-up book; None if it is not one of Vola. Raise BackupRefused when
    pg_restore cannot read the file."""
    rows = _rows_in(program, source, SECRET_OPTIONS)
    return book_id(bytes.fromhex(rows[0][-1].removeprefix(BYTEA_PREFIX))) if rows else None


def find_book(source: Path) -> str | None:
    """Return the id of the backed-up book, which files of earlier versions have only in their
    content; None if nothing in the file says it. Raise ServerFailed without a pg_restore."""
    label = read_label(source)
    if label and label.book:
        return label.book
    try:
        return read_book_in(pg_tools.find_newest_pg_restore(), source)
    except (BackupRefused, ValueError):  # damaged, or no backup of Vola
        return None


def verify_new(temporary: Path, path: Path) -> None:
    """Read a new file again before it gets the name `path`: it must have its checksum and be an
    archive of Vola. Raise BackupRefused, ServerFailed."""
    try:
        verify_on_disk(temporary)
        if not read_migrations(pg_tools.find_newest_pg_restore(), temporary):
            raise BackupDamaged(temporary, "it does not hold what was written")
    except BackupDamaged as damage:
        raise BackupRefused(
            f"{path} was not kept: read again, it was damaged ({damage.reason}). Look at that disk."
        ) from damage


def verify_readable(source: Path) -> None:
    """Read all of a file that has no checksum. Raise BackupRefused when it is cut short or
    otherwise damaged, ServerFailed."""
    _read(pg_tools.find_newest_pg_restore(), source, (f"--file={os.devnull}",))


def _rows_in(program: Path, source: Path, options: tuple[str, ...]) -> list[list[str]]:
    """Return the rows of the table that `options` name, as COPY writes their columns."""
    _, _, rows = _read(program, source, options).partition("FROM stdin;\n")
    return [row.split("\t") for row in rows.partition("\n\\.")[0].splitlines() if row]


def _read(program: Path, source: Path, options: tuple[str, ...]) -> str:
    """Return what pg_restore makes of the file. Raise BackupRefused when it cannot read it."""
    try:
        return pg_tools.read_archive(program, (*options, str(source)))
    except ServerFailed as failed:
        if "unsupported version" in str(failed):  # of the archive, which PostgreSQL 17 has changed
            raise BackupRefused(
                f"{source} was made by a newer PostgreSQL than this one: restore it into a newer "
                "one, or move the book with `vola export --all` and `vola import`."
            ) from failed
        reason = str(failed).removeprefix("pg_restore failed: ").rstrip(".")
        raise BackupDamaged(source, f"pg_restore cannot read it to its end ({reason})") from failed
