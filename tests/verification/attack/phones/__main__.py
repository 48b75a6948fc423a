"""Let dishonest hosts show phones another history, and count what the phones find and miss.

    python -m tests.verification.attack.phones --tries 10000 --evenings 1000 --seed 1 --workers 2

The evenings are honest: random sessions of every game through the ledger and the API, with several
phones that look at random moments, lose their storage, undo, correct, carry forward, cosign and
erase names, while the book's key is replaced. No phone may raise an alarm. Each try then starts
from what a phone kept at some moment of such an evening. A host shows the phone something else, and
the phone's first look must find it. The form's own code judges. The exit code is 1 if a host was
missed, if there was a false alarm, or if a kind was never tried.
"""

from __future__ import annotations

import sys
import time
from multiprocessing import get_context

from tests.support.databases import copy_database, run_temporary_servers
from tests.verification.attack.phones.phones_run import PhoneTally, run_phones
from tests.verification.command_parser import read_arguments


def main() -> int:
    sizes = {"tries": (10_000, "dishonest hosts"), "evenings": (1000, "honest ones")}
    arguments = read_arguments("attack.phones", __doc__, **sizes)
    started_at, workers = time.monotonic(), arguments.workers
    with run_temporary_servers("phones") as servers:
        shares = [
            (
                copy_database(servers.postgres, f"vola_phones_{n}"),
                f"{arguments.seed}:{n}",
                -(-arguments.evenings // workers),
                -(-arguments.tries // workers),
            )
            for n in range(workers)
        ]
        with get_context("spawn").Pool(workers) as pool:
            tally = sum(pool.starmap(run_phones, shares), PhoneTally())
    print(tally.table())
    print(f"{time.monotonic() - started_at:.0f} s")
    return 0 if tally.good else 1


if __name__ == "__main__":
    sys.exit(main())
