"""Forge documents of random sessions, and compare the verdicts of the three verifiers.

    python -m tests.verification.attack.agreement --vectors 2000 --seed 1

The verifiers are `verify.py`, the modules of the page `/verify` in a browser, and the server: an
import for exports, and `vola audit --receipt` for everything else. The program and the page must
give exactly the same verdict, and the server the same outcome: the document holds, does not hold,
or is not readable. Documents that the server judges differently by design are counted apart.
Program and page also judge statements with exports whose events no ledger has written. The exit
code is 1 if the verifiers disagree.
"""

from __future__ import annotations

import sys
import time
from random import Random

from api.app import create_app
from ledger.store import connection_pool as database
from tests.support.browser.verify_page import judge_vectors, verifier_page
from tests.support.databases import DatabaseUrls, run_temporary_servers
from tests.verification.attack.agreement.agreement_run import compare_verdicts
from tests.verification.attack.agreement.malformed_events import make_vectors
from tests.verification.command_parser import command_parser


def main() -> int:
    parser = command_parser("attack.agreement", __doc__)
    parser.add_argument("--vectors", type=int, default=2000, help="documents (2000)")
    parser.add_argument("--forged", type=int, default=4, help="forgeries of each document (4)")
    parser.add_argument("--events", type=int, default=5000, help="malformed histories (5000)")
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    started_at = time.monotonic()
    with run_temporary_servers("agreement") as servers, verifier_page() as page:
        urls = DatabaseUrls(servers.postgres, "vola")
        pool = database.open_pool(urls.app, size=4)
        app = create_app(pool)
        agreement = compare_verdicts(
            app, urls, page, arguments.seed, arguments.vectors, arguments.forged
        )
        pool.close()
        malformed = [*make_vectors(Random(arguments.seed), arguments.events)]
        for vector, verdict in zip(malformed, judge_vectors(page, malformed), strict=True):
            if verdict != (by_program := vector.judged()):
                agreement.disagreements.append(f"{vector.way}: {by_program}, page {verdict}")
    print(agreement.table())
    print(f"{len(malformed)} statements with malformed events: program and page judged all of them")
    print(f"{time.monotonic() - started_at:.0f} s")
    return 0 if agreement.good else 1


if __name__ == "__main__":
    sys.exit(main())
