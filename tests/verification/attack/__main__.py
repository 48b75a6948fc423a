"""Attack the ledger as its superuser and count what the audit finds and misses.

    python -m tests.verification.attack --attacks 10000 --evenings 1000 --seed 1 --workers 2

First the command plays clean evenings of every game, in which the audit must find nothing. Then it
plants corruptions of every kind in them, one at a time, audits and rolls back. Last it tries what
the app's own role may not do. The exit code is 1 if the audit missed anything or raised a false
alarm, if a kind was never tried, or if PostgreSQL did not refuse the app's role as expected.
"""

from __future__ import annotations

import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import migrations
from tests.support.databases import DatabaseUrls, copy_database
from tests.support.postgresql.cluster import postgres
from tests.verification.attack import app_role
from tests.verification.attack.attack_run import Tally
from tests.verification.attack.worker import run_share
from tests.verification.command_parser import read_arguments


def unrefused_attacks(urls: DatabaseUrls) -> list[str]:
    """Return a line for each attack of the app's role that was not refused as expected."""
    return [
        f"{name}: {sqlstate}, not {code}"
        for name, (statement, code) in app_role.ATTACKS.items()
        if (sqlstate := app_role.refusal_code(urls.app, statement)) != code
    ]


def main() -> int:
    sizes = {"attacks": (10_000, "on stored events"), "evenings": (1000, "clean ones")}
    arguments = read_arguments("attack", __doc__, **sizes)
    started_at, workers = time.monotonic(), arguments.workers
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as cluster:
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        shares = [
            (
                copy_database(cluster, f"vola_attacked_{n}"),
                f"{arguments.seed}:{n}",
                -(-arguments.evenings // workers),
                -(-arguments.attacks // workers),
                -(-arguments.attacks // (4 * workers)),
            )
            for n in range(workers)
        ]
        with get_context("spawn").Pool(workers) as pool:
            tally = sum(pool.starmap(run_share, shares), Tally())
        unrefused = unrefused_attacks(shares[0][0])
    print(tally.table())
    print(f"{len(app_role.ATTACKS)} attacks as the app's role, {len(unrefused)} not refused")
    print(*unrefused, sep="\n", end="\n" if unrefused else "")
    print(f"{time.monotonic() - started_at:.0f} s")
    return 0 if tally.good and not unrefused else 1


if __name__ == "__main__":
    sys.exit(main())
