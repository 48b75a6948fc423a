"""The upgrade of a cluster, from the old version's files to a verified new cluster.

Steps: check the disk; make a new cluster in the temporary folder; dump the old database, restore
the dump and compare; write the record; rename the old folder; rename the new one. A start after a
kill before the first rename begins again from the untouched old folder; between the two renames it
only does the second. Knows nothing of the tables.
"""

import logging
import os
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from ledger.embedded import pg_tools
from ledger.embedded.cluster import COMPLETE, MAJOR, ROLES, SERVER_SETTINGS, Cluster, find_program
from ledger.embedded.cluster_upgrade.old_programs import SETTING, find_old_postgres
from ledger.embedded.cluster_upgrade.table_digest import TableDigest, digest_tables
from ledger.embedded.cluster_upgrade.temporary_server import temporary_server
from ledger.embedded.cluster_upgrade.upgrade_record import UpgradeRecord, write_record
from ledger.embedded.errors import ServerFailed
from ledger.embedded.private_files import LogPart, open_private, sync_folder

log = logging.getLogger("vola")

NEW_CLUSTER_BYTES = 100 << 20
"""An empty cluster with its write-ahead log, and some room."""
REPORT_SECONDS = 1
OLD_SETTINGS = SERVER_SETTINGS | {"default_transaction_read_only": "on"}
# Everything is written to the disk at the end, at once.
NEW_SETTINGS = SERVER_SETTINGS | {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
DUMP_OPTIONS = ("--format=custom", "--no-password")
RESTORE_OPTIONS = ("--single-transaction", "--exit-on-error", "--no-password", "--dbname=vola")
ANALYZE = "ANALYZE"
OTHER_DATABASES = """
SELECT datname FROM pg_database WHERE NOT datistemplate AND datname NOT IN ('postgres', 'vola')
 ORDER BY 1
"""


def upgrade_cluster(
    cluster: Cluster, old_programs: Path | None, server_lock: int, server_log: LogPart
) -> None:
    """Replace the older cluster by one of MAJOR with the same rows. No server may run on it.

    `old_programs` is the folder that the setting VOLA_OLD_POSTGRES names. The old folder stays
    beside the new one, under a name with its version and the date. Raise ServerFailed, with the old
    cluster as it was.
    """
    old_major = cluster.major
    old_program = find_old_postgres(old_major, old_programs)
    if old_program is None:
        raise ServerFailed(
            f"{cluster.folder} was made by PostgreSQL {old_major}, Vola now brings {MAJOR}, and "
            f"there is no PostgreSQL {old_major} on this computer to read it with: install that "
            f"and name the folder of its programs in {SETTING}, or set VOLA_DATA to a new folder "
            "and load your newest backup with `vola restore`."
        )
    _check_space(cluster)
    report = ProgressReport(f"Moving the book from PostgreSQL {old_major} to {MAJOR}")
    passwords = {role: cluster.password(role) for role in ROLES}
    try:
        with cluster.new_cluster(passwords, server_lock, server_log) as new_folder:
            digests = _move_rows(cluster, old_program, new_folder, report, server_lock, server_log)
            report("writing to the disk")
            cluster.sync(new_folder, server_lock, server_log)
            record = UpgradeRecord(
                old_major=old_major,
                new_major=int(MAJOR),
                tables=len(digests),
                rows=sum(rows for rows, _ in digests.values()),
                old_folder=_old_folder_name(cluster, old_major),
            )
            write_record(cluster.data, record)
            os.close(open_private(cluster.staging / COMPLETE, os.O_WRONLY))
            sync_folder(cluster.staging)
            cluster.folder.rename(cluster.data / record.old_folder)
            cluster.publish()
    except psycopg.Error as error:
        raise ServerFailed(
            f"The book could not be moved from PostgreSQL {old_major} to {MAJOR}, and stays as it "
            f"was: {str(error).strip().splitlines()[0].rstrip('.')}; more is in {server_log.path}."
        ) from error


def _move_rows(
    cluster: Cluster,
    old_program: Path,
    new_folder: Path,
    report: Callable[[str], None],
    server_lock: int,
    server_log: LogPart,
) -> dict[str, TableDigest]:
    """Fill the new cluster with the database of the old one, and return what both hold."""
    dump = cluster.staging / "book.dump"
    os.close(open_private(dump, os.O_WRONLY))

    def show(counted: str) -> Callable[[int], None]:
        return lambda count: report(f"{count:,} {counted}")

    with temporary_server(
        old_program, cluster.folder, OLD_SETTINGS, server_lock, server_log
    ) as port:
        old_url = cluster.url("postgres", port, "vola")
        program = pg_tools.find_pg_dump(cluster.major, old_program.parent)
        pg_tools.run_pg_dump(program, DUMP_OPTIONS, old_url, dump, show("bytes read"))
        old_digests = digest_tables(old_url, show("tables counted"))
        _warn_of_other_databases(old_url)
    with (
        temporary_server(
            cluster.program, new_folder, NEW_SETTINGS, server_lock, server_log
        ) as port,
        dump.open("rb") as source,
    ):
        new_url = cluster.url("postgres", port, "vola")
        pg_tools.run_pg_restore(
            find_program("pg_restore"), RESTORE_OPTIONS, new_url, source, show("bytes written")
        )
        new_digests = digest_tables(new_url, show("tables compared"))
        with psycopg.connect(new_url, autocommit=True) as db:
            db.execute(ANALYZE)
    dump.unlink()
    different = sorted(
        name
        for name in old_digests.keys() | new_digests.keys()
        if old_digests.get(name) != new_digests.get(name)
    )
    if different:
        raise ServerFailed(
            f"The new cluster does not hold what the old one holds ({', '.join(different)}), so "
            f"{cluster.folder} stays as it was: run the Vola that made it, and report this."
        )
    return new_digests


def _warn_of_other_databases(url: str) -> None:
    with psycopg.connect(url) as db:
        names = [name for (name,) in db.execute(OTHER_DATABASES)]
    if names:
        listed = ", ".join(names)
        log.warning("These databases are not of Vola and stay in the old folder: %s.", listed)


def _check_space(cluster: Cluster) -> None:
    """Raise ServerFailed unless there is room for the new cluster and the dump."""
    size = sum(path.stat().st_size for path in (cluster.folder / "base").rglob("*"))
    needed, free = 2 * size + NEW_CLUSTER_BYTES, shutil.disk_usage(cluster.data).free
    if free < needed:
        raise ServerFailed(
            f"Moving the book to PostgreSQL {MAJOR} needs {_megabytes(needed)} MB in "
            f"{cluster.data}, and {_megabytes(free)} MB are free; free some space on that disk."
        )


def _megabytes(size: int) -> str:
    return f"{size // 1_000_000:,}"


def _old_folder_name(cluster: Cluster, old_major: int) -> str:
    """Return a name that is free in the data folder, with the version and today's date."""
    name = f"postgres.{old_major}-{datetime.now(UTC):%Y-%m-%d}"
    number, free_name = 1, name
    while (cluster.data / free_name).exists():
        number += 1
        free_name = f"{name}-{number}"
    return free_name


class ProgressReport:
    """Lines in the log about work that takes longer than a second, at most one per second."""

    def __init__(self, title: str) -> None:
        self._title, self._next = title, time.monotonic() + REPORT_SECONDS

    def __call__(self, text: str) -> None:
        if time.monotonic() >= self._next:
            log.info("%s: %s", self._title, text)
            self._next = time.monotonic() + REPORT_SECONDS
