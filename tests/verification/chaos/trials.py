"""One payment rung for twenty times, and one key a hundred times, again and again.

    python -m tests.verification.chaos.trials --payments 5000 --rounds 1000 --seed 1

Exit code 1 if anything happened more or less than once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support import interrupts as ending
from tests.support.databases import run_embedded_servers
from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.payment_deliveries import payments
from tests.verification.chaos.same_key_rounds import rounds
from tests.verification.chaos.trial_result import Came


def main() -> int:
    ask = argparse.ArgumentParser(prog="trials", description="The same, many times at once.")
    ask.add_argument("--payments", type=int, default=5000)
    ask.add_argument("--rounds", type=int, default=1000)
    ask.add_argument("--seed", default="1")
    arguments = ask.parse_args()
    ending.tidily()
    came = list[Came]()
    with tempfile.TemporaryDirectory(prefix="vola-trials-") as folder:
        if arguments.payments:
            with run_embedded_servers(Path(folder) / "book") as embedded:
                urls = embedded.postgres.app_url, embedded.valkey.url
                came.append(payments(*urls, arguments.payments, arguments.seed))
                print(came[-1].line(), flush=True)
        if arguments.rounds:
            with SupervisedServer(Path(folder) / "house") as server:
                url = f"http://127.0.0.1:{server.port}"
                came.append(rounds(url, arguments.rounds, arguments.seed))
                print(came[-1].line(), flush=True)
    for one in came:
        for fault in one.faults[:10]:
            print(f"  {one.name}: {fault}")
    return 1 if any(one.faults for one in came) else 0


if __name__ == "__main__":
    sys.exit(main())
