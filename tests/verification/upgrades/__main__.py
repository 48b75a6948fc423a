"""Stop upgrades everywhere: `python -m tests.verification.upgrades`, or `make upgrades`.

Prints one row for each upgrade: from what to what, how often it was stopped, what the audit found,
and how long it took. An AssertionError names the statement or step.
"""

import random
import tempfile
from pathlib import Path

from tests.support import interrupts
from tests.support.databases import run_temporary_servers
from tests.support.earlier_books import DUMPS
from tests.verification.command_parser import command_parser
from tests.verification.upgrades.interrupted_migrations import stop_everywhere
from tests.verification.upgrades.killed_cluster_upgrades import kill_everywhere

OLD_MAJORS = (15, 16)


def main() -> None:
    parser = command_parser("upgrades", __doc__)
    parser.add_argument("--every", type=int, default=1, help="stop at every n-th statement")
    parser.add_argument("--moments", type=int, default=20, help="kills at random moments")
    parser.add_argument("--seed", default="upgrades")
    parser.add_argument("--only", choices=("postgresql", "tables"))
    arguments = parser.parse_args()
    interrupts.exit_on_sigterm()
    die = random.Random(arguments.seed)
    print("| from | to | stopped | audit | took |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="vola-upgrades-") as folder:
        Path(folder).chmod(0o755)
        for major in OLD_MAJORS if arguments.only != "tables" else ():
            print(kill_everywhere(Path(folder), major, arguments.moments, die), flush=True)
    with run_temporary_servers("upgrades") as servers:
        for dump in DUMPS if arguments.only != "postgresql" else ():
            print(stop_everywhere(servers.postgres, dump, arguments.every), flush=True)


if __name__ == "__main__":
    main()
