"""The migrations of every frozen book, stopped at every statement."""

import time
from pathlib import Path

import migrations
from ledger.embedded.cluster_upgrade.table_digest import digest_tables
from tests.support.api.command_line import run_vola
from tests.support.earlier_books import restore_book
from tests.support.postgresql.cluster import Postgres
from tests.support.upgrades.migration_stops import (
    ENDED,
    install_counter,
    migrate_until,
    remove_counter,
)


def stop_everywhere(cluster: Postgres, dump: Path, every: int) -> str:
    """Stop at every `every`th statement, in both ways. Return a row of the table. Raise
    AssertionError if a stop leaves a trace, or the audit has findings in the end."""
    started_at = time.monotonic()
    statements = list_statements(cluster, dump)
    urls = restore_book(cluster, dump, "stopped")
    install_counter(urls)
    pending = migrations.read_plan(urls.owner).files
    rows = digest_tables(urls.super, lambda count: None)
    stops = 0
    for number in range(1, len(statements) + 1, every):
        for end in ENDED:
            migrate_until(urls, number, end)
            stops += 1
            assert migrations.read_plan(urls.owner).files == pending, statements[number - 1]
            assert digest_tables(urls.super, lambda count: None) == rows, statements[number - 1]
    migrate_until(urls)
    remove_counter(urls)
    assert migrations.read_plan(urls.owner).files == []
    audit = run_vola("audit", **urls.environment)
    assert audit.returncode == 0, audit.stdout + audit.stderr
    findings = "; ".join(audit.stdout.splitlines())
    return (
        f"| tables of {dump.parent.name} | {migrations.STEPS[-1].stem[:4]} | {stops} stops at "
        f"{len(statements)} places | {findings} | {time.monotonic() - started_at:.0f} s |"
    )


def list_statements(cluster: Postgres, dump: Path) -> list[str]:
    """Migrate the book once, and return a line for each statement that this takes."""
    urls = restore_book(cluster, dump, "counted")
    install_counter(urls)
    return [line for line in migrate_until(urls) if line.startswith("statement ")]
