"""One payment rung for twenty times, and one key a hundred times, again and again.

    python -m tests.chaos.trials --payments 5000 --rounds 1000 --seed 1

Exit code 1 if anything happened more or less than once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import migrations
from ledger import servers
from tests import ending
from tests.chaos.came import Came
from tests.chaos.deliveries import payments
from tests.chaos.house import House
from tests.chaos.rounds import rounds


def main() -> int:
    ask = argparse.ArgumentParser(prog="trials", description="The same, many times at once.")
    ask.add_argument("--payments", type=int, default=5000)
    ask.add_argument("--rounds", type=int, default=1000)
    ask.add_argument("--seed", default="1")
    given = ask.parse_args()
    ending.tidily()
    came = list[Came]()
    with tempfile.TemporaryDirectory(prefix="vola-trials-") as folder:
        if given.payments:
            with (
                servers.postgres(Path(folder) / "book") as cluster,
                servers.valkey(Path(folder) / "book") as bell,
            ):
                urls = cluster.owner_url, cluster.app_url, cluster.audit_url
                migrations.apply(urls[0], app_url=urls[1], audit_url=urls[2])
                came.append(payments(cluster.app_url, bell.url, given.payments, given.seed))
                print(came[-1].line(), flush=True)
        if given.rounds:
            with House(Path(folder) / "house") as house:
                url = f"http://127.0.0.1:{house.port}"
                came.append(rounds(url, given.rounds, given.seed))
                print(came[-1].line(), flush=True)
    for one in came:
        for fault in one.faults[:10]:
            print(f"  {one.name}: {fault}")
    return 1 if any(one.faults for one in came) else 0


if __name__ == "__main__":
    sys.exit(main())
