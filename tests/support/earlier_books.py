"""The frozen books of earlier versions, restored as those versions left them."""

from pathlib import Path

import migrations
from ledger.transfer import backup
from tests.support.databases import DatabaseUrls, create_database
from tests.support.postgresql.cluster import Postgres

DUMPS = sorted((Path(__file__).parents[1] / "golden").glob("book-*/book.dump"))


def restore_book(cluster: Postgres, dump: Path, purpose: str) -> DatabaseUrls:
    """Restore a book into a database of its own, without migrating it."""
    urls = create_database(cluster, f"vola_{purpose}_{dump.parent.name}")
    backup.restore(urls.owner, dump, frozenset(step.name for step in migrations.STEPS))
    return urls
