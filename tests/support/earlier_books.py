"""The frozen books of earlier versions, restored as those versions left them."""

import re
import subprocess
from pathlib import Path

import psycopg

import migrations
from ledger.embedded.cluster import find_program
from ledger.transfer import backup
from tests.support.databases import DatabaseUrls, create_database
from tests.support.postgresql.cluster import Postgres

DUMPS = sorted((Path(__file__).parents[1] / "golden").glob("book-*/book.dump"))
RENAMED_DUMPS = [dump for dump in DUMPS if dump.parent.name < "book-1"]
"""The dumps from before the tables were renamed."""
DUMPED_BY = 18
"""The version of PostgreSQL that wrote the dumps; an older pg_restore does not read its files."""
NEWER_LINES = re.compile(r"^(SET transaction_timeout|\\(un)?restrict).*\n", re.MULTILINE)
"""Lines of that pg_restore's output that an older server or psql does not know."""


def restore_book(cluster: Postgres, dump: Path, purpose: str) -> DatabaseUrls:
    """Restore a book into a database of its own, without migrating it."""
    urls = create_database(cluster, f"vola_{purpose}_{dump.parent.name}")
    with psycopg.connect(urls.owner) as db:
        is_older = db.info.server_version // 10_000 < DUMPED_BY
    if is_older:
        restore_as_text(cluster.bin / "psql", urls.owner, dump)
    else:
        backup.restore(urls.owner, dump, frozenset(step.name for step in migrations.STEPS))
    return urls


def restore_as_text(psql: Path, url: str, dump: Path) -> None:
    """Restore a book into an empty database of an older server, with that server's `psql`."""
    script = subprocess.run(
        [find_program("pg_restore"), "--no-owner", "--no-privileges", "--file=-", dump],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    subprocess.run(
        [psql, "--quiet", "--set=ON_ERROR_STOP=1", url],
        input=NEWER_LINES.sub("", script),
        check=True,
        stdout=subprocess.DEVNULL,
        text=True,
    )
