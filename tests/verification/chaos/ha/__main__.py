"""Let leaders fail while phones keep score, and check the book: `make chaos-ha`.

The same seed repeats the same faults. With `--faults 1` the leader's machine is killed once.
With `--careless --only cut_off_and_lost` the cluster acknowledges what one machine alone has, and
the checks must find a loss: this shows that they would see one.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path
from secrets import token_hex

from tests.support import interrupts
from tests.verification.chaos.ha.nemesis import FAULTS
from tests.verification.chaos.ha.programs import missing_packages
from tests.verification.chaos.ha.run import run
from tests.verification.command_parser import command_parser


def main() -> int:
    parser = command_parser("chaos.ha", __doc__)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--phones", type=int, default=8)
    parser.add_argument("--seed", default="")
    parser.add_argument("--only", action="append", default=[], choices=list(FAULTS))
    parser.add_argument("--careless", action="store_true", help="without synchronous standbys")
    parser.add_argument("--keep", type=Path, help="a folder for the history and the cluster")
    arguments = parser.parse_args()
    interrupts.exit_on_sigterm()
    if missing := missing_packages():
        print(f"not installed: {', '.join(missing)}; `make chaos-ha` does it", file=sys.stderr)
        return 2
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="vola-ha-"))
    seed = arguments.seed or token_hex(4)
    print(f"seed {seed}, everything in {folder}", flush=True)
    result = run(
        folder,
        seed,
        faults=arguments.faults,
        phones=arguments.phones,
        only_kinds=tuple(arguments.only),
        careless=arguments.careless,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    load = "/".join(f"{value:.0f}" for value in os.getloadavg())
    print(result.table())
    print(f"{os.cpu_count()} cores for everything, {platform.machine()}, load {load}")
    passed = bool(result.findings["lost"]) if arguments.careless else result.good
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
