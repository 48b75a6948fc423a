"""The upgrade of an older cluster, killed before every step and at random moments."""

import random
import shutil
import time
from pathlib import Path

from ledger.embedded.cluster import MAJOR
from ledger.embedded.cluster_upgrade.table_digest import TableDigest, digest_tables
from tests.support.api.command_line import run_vola
from tests.support.earlier_books import DUMPS
from tests.support.ledger.embedded_servers import copy_folder
from tests.support.postgresql.cluster import postgres
from tests.support.postgresql.older_cluster import make_older_cluster
from tests.support.upgrades.kill_points import start_until


def kill_everywhere(folder: Path, major: int, moments: int, die: random.Random) -> str:
    """Kill before each step, and then at `moments` random moments. Return a row of the table. Raise
    AssertionError if a later start does not find every row."""
    started_at = time.monotonic()
    data = folder / f"postgresql-{major}"
    rows = make_older_cluster(data, major, DUMPS[0])
    if rows is None:
        return f"| PostgreSQL {major} | {MAJOR} | not installed here | | |"
    upgraded = copy_folder(data, folder / f"upgraded-{major}")
    upgrade_started_at = time.monotonic()
    steps = start_until(upgraded).steps
    seconds = time.monotonic() - upgrade_started_at
    audit = run_vola("audit", VOLA_DATA=str(upgraded), DATABASE_URL="", REDIS_URL="")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    kills = 0
    for number in range(1, len(steps) + 1):
        kills += _kill_and_start(data, folder / "var", rows, step=number)
    for _ in range(moments):
        kills += _kill_and_start(data, folder / "var", rows, timeout=die.uniform(0.1, seconds))
    took = time.monotonic() - started_at
    return (
        f"| PostgreSQL {major}, book of 0.1 | {MAJOR} | {kills} kills at {len(steps)} steps and "
        f"{moments} random moments | {audit.stdout.strip()} | {took:.0f} s |"
    )


def _kill_and_start(
    data: Path, copy: Path, rows: dict[str, TableDigest], *, step: int = 0, timeout: float = 300
) -> bool:
    """Kill one upgrade of a copy, start it again, and compare every table. Return whether the kill
    came before the end."""
    copy_folder(data, copy)
    start = start_until(copy, step, timeout=timeout)
    with postgres(copy) as server:
        url = server.super_url.replace("/postgres?", "/vola?")
        assert digest_tables(url, lambda count: None) == rows, start.steps[-1:]
    assert len(list(copy.glob("postgres.[0-9]*-*"))) == 1, start.steps[-1:]
    assert not (copy / "postgres.new").exists(), start.steps[-1:]
    shutil.rmtree(copy)
    return start.killed
