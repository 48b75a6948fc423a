"""The data folder of an earlier Vola with an older embedded PostgreSQL and a frozen book."""

import json
import os
import secrets
import subprocess
from pathlib import Path

import psycopg

from ledger.embedded.cluster import PROVISION, ROLES, SERVER_SETTINGS, Cluster
from ledger.embedded.cluster_upgrade.old_programs import find_old_postgres
from ledger.embedded.cluster_upgrade.table_digest import TableDigest, digest_tables
from ledger.embedded.cluster_upgrade.temporary_server import temporary_server
from ledger.embedded.private_files import (
    LogPart,
    log_part,
    make_folder,
    open_private,
    write_private,
)
from ledger.embedded.run_as import choose_identity
from tests.support.earlier_books import restore_as_text

APP_READS_MIGRATIONS = "GRANT SELECT ON public.vola_migrations TO vola_app"
"""The grant with which the app can see that the tables are of an earlier version."""


def make_older_cluster(data: Path, major: int, dump: Path) -> dict[str, TableDigest] | None:
    """Make the cluster with the programs of version `major`, and load the book. Return the digests
    of its tables, or None if that version is not installed."""
    program = find_old_postgres(major, None)
    if program is None:
        return None
    make_folder(data)
    passwords = {role: secrets.token_hex(32) for role in ROLES}
    write_private(data / "postgres.passwords.json", json.dumps(passwords))
    cluster = Cluster(data, program)
    cluster.folder.mkdir()
    with log_part(data / "postgres.log") as log:
        identity = choose_identity(cluster.folder, program)
        password_file = data / "password"
        with open(open_private(password_file, os.O_WRONLY), "w") as file:
            file.write(passwords["postgres"])
        os.chown(password_file, identity.uid, identity.gid)
        access = ("--username=postgres", f"--pwfile={password_file}", "--auth=scram-sha-256")
        plain = ("--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-sync")
        initdb = (str(program.with_name("initdb")), "-D", str(cluster.folder), *access, *plain)
        single = (str(program), "--single", "-D", str(cluster.folder), "postgres")
        for command, text in ((initdb, ""), (single, PROVISION.format(**passwords))):
            process = identity.launch(command, stdin=subprocess.PIPE, output=log.descriptor)
            process.communicate(text.encode())
            assert process.returncode == 0, log.text()
        password_file.unlink()
        return load_book(cluster, dump, log)


def load_book(cluster: Cluster, dump: Path, log: LogPart) -> dict[str, TableDigest]:
    """Load the book, and return the digests of its tables."""
    descriptor = log.descriptor
    with temporary_server(
        cluster.program, cluster.folder, SERVER_SETTINGS, descriptor, log
    ) as port:
        url = cluster.url("vola_owner", port, "vola").partition("?")[0]  # an old libpq's options
        restore_as_text(cluster.program.with_name("psql"), url, dump)
        with psycopg.connect(url) as db:
            db.execute(APP_READS_MIGRATIONS)
        return digest_tables(url, lambda count: None)
