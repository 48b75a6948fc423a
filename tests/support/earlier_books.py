"""The frozen books of earlier versions, restored as those versions left them."""

from pathlib import Path

import psycopg
from psycopg import sql

import migrations
from ledger.embedded import Postgres
from ledger.transfer import backup
from tests.support.databases import DatabaseUrls

DUMPS = sorted((Path(__file__).parents[1] / "golden").glob("book-*/book.dump"))


def restore_book(cluster: Postgres, dump: Path, purpose: str) -> DatabaseUrls:
    """Restore a book into a database of its own, without migrating it."""
    name = f"vola_{purpose}_{dump.parent.name}"
    create = sql.SQL("CREATE DATABASE {} OWNER vola_owner")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(create.format(sql.Identifier(name)))
    urls = DatabaseUrls(cluster, name)
    backup.restore(urls.owner, dump, frozenset(step.name for step in migrations.STEPS))
    return urls
