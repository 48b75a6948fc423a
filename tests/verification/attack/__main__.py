"""A night of attacks on the book, as its superuser: what was tried, found and missed.

    python -m tests.verification.attack --attacks 10000 --evenings 1000 --seed 1 --workers 2

First clean evenings of every game, in which the auditor must find nothing; then corruptions of
every kind, each planted in one of them, audited and taken back; and what the app's own role may
not do. Exit code 1 if anything was missed, or found where nothing is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import migrations
from ledger import embedded as servers
from tests.support.databases import DatabaseUrls, copy_database
from tests.verification.attack import app_role
from tests.verification.attack.attack_run import Tally
from tests.verification.attack.worker import work


def refusals(urls: DatabaseUrls) -> list[str]:
    """The attacks of the app's role that were not refused as they should be."""
    return [
        f"{name}: {said}, not {code}"
        for name, (statement, code) in app_role.ATTACKS.items()
        if (said := app_role.tried(urls.app, statement)) != code
    ]


def main() -> int:
    ask = argparse.ArgumentParser(
        prog="python -m tests.verification.attack", description="Attacks on the book."
    )
    ask.add_argument("--attacks", type=int, default=10_000, help="on stored events (10000)")
    ask.add_argument("--evenings", type=int, default=1000, help="clean ones (1000)")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--workers", type=int, default=2)
    given = ask.parse_args()
    begun, workers = time.monotonic(), given.workers
    with tempfile.TemporaryDirectory() as folder, servers.postgres(Path(folder)) as cluster:
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        shares = [
            (
                copy_database(cluster, f"vola_attacked_{n}"),
                f"{given.seed}:{n}",
                -(-given.evenings // workers),
                -(-given.attacks // workers),
                -(-given.attacks // (4 * workers)),
            )
            for n in range(workers)
        ]
        with get_context("spawn").Pool(workers) as pool:
            tally = sum(pool.starmap(work, shares), Tally())
        unrefused = refusals(shares[0][0])
    print(tally.table())
    print(f"{len(app_role.ATTACKS)} attacks as the app's role, {len(unrefused)} not refused")
    print(*unrefused, sep="\n", end="\n" if unrefused else "")
    print(f"{time.monotonic() - begun:.0f} s")
    return 0 if tally.good and not unrefused else 1


if __name__ == "__main__":
    sys.exit(main())
