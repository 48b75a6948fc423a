"""A migration that is interrupted at any statement has changed nothing, and succeeds when repeated.

Here at three statements; `make upgrades` interrupts at every one.
"""

from pathlib import Path

import pytest

import migrations
from ledger.embedded.cluster_upgrade.table_digest import digest_tables
from tests.support.api.command_line import invoke_vola
from tests.support.earlier_books import DUMPS, restore_book
from tests.support.postgresql.cluster import Postgres
from tests.support.upgrades.migration_stops import (
    HowItEnds,
    install_counter,
    migrate_until,
    remove_counter,
)

STOPS: tuple[tuple[int, HowItEnds], ...] = ((1, "killed"), (336, "terminated"), (425, "killed"))
"""The first statement, the one that fills the new columns of every session, and a grant."""


@pytest.mark.parametrize("dump", DUMPS[:1], ids=lambda dump: dump.parent.name)
def test_interrupted_migrations_change_nothing_and_can_be_repeated(
    cluster: Postgres, dump: Path
) -> None:
    urls = restore_book(cluster, dump, "interrupted")
    install_counter(urls)
    pending, rows = (
        migrations.read_plan(urls.owner).files,
        digest_tables(urls.super, lambda count: None),
    )
    for number, end in STOPS:
        statements = migrate_until(urls, number, end)
        assert statements[-1].startswith(f"statement {number} ") or end == "killed"
        assert migrations.read_plan(urls.owner).files == pending
        assert digest_tables(urls.super, lambda count: None) == rows
    migrate_until(urls)
    remove_counter(urls)
    assert migrations.read_plan(urls.owner).files == []
    audit = invoke_vola("audit", **urls.environment)
    assert audit.stdout == "12 sessions, no findings\n", audit.stderr
