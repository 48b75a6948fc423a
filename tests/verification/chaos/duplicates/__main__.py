"""One payment enqueued twenty times, and one key a hundred times, again and again.

    python -m tests.verification.chaos.duplicates --payments 5000 --rounds 1000 --seed 1

Exit code 1 if anything happened more or less than once.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support import interrupts
from tests.support.databases import run_embedded_servers
from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.duplicates.payment_deliveries import run_payment_trials
from tests.verification.chaos.duplicates.same_key_rounds import run_rounds
from tests.verification.chaos.duplicates.trial_result import TrialResult
from tests.verification.command_parser import command_parser


def main() -> int:
    parser = command_parser("chaos.duplicates", __doc__)
    parser.add_argument("--payments", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    interrupts.exit_on_sigterm()
    results: list[TrialResult] = []
    with tempfile.TemporaryDirectory(prefix="vola-trials-") as folder:
        if arguments.payments:
            with run_embedded_servers(Path(folder) / "book") as embedded:
                urls = embedded.postgres.app_url, embedded.valkey.url
                results.append(run_payment_trials(*urls, arguments.payments, arguments.seed))
                print(results[-1].line(), flush=True)
        if arguments.rounds:
            with SupervisedServer(Path(folder) / "server") as server:
                url = f"http://127.0.0.1:{server.port}"
                results.append(run_rounds(url, arguments.rounds, arguments.seed))
                print(results[-1].line(), flush=True)
    for result in results:
        for fault in result.faults[:10]:
            print(f"  {result.name}: {fault}")
    return 1 if any(result.faults for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
