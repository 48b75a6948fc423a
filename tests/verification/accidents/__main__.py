"""Stage accidents: `python -m tests.verification.accidents`, or `make accidents`. Root only.

Prints one table row for each accident. The exit code is 1 if an acknowledged event was lost, or if
the audit has findings.
"""

import sys
import tempfile
from pathlib import Path

from tests.support import interrupts
from tests.verification.accidents.accident_run import NAMES, TABLE_HEAD, stage_accident
from tests.verification.accidents.scene import is_possible
from tests.verification.command_parser import command_parser


def main() -> int:
    parser = command_parser("accidents", __doc__)
    parser.add_argument("--seconds", type=float, default=10, help="how long a cause lasts")
    parser.add_argument("--deals", type=int, default=50, help="recorded before and after it")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    arguments = parser.parse_args()
    if not is_possible():
        parser.error("accidents need root, Linux with loop devices, and a C compiler")
    interrupts.exit_on_sigterm()
    print(TABLE_HEAD, flush=True)
    failed_count = 0
    with tempfile.TemporaryDirectory(prefix="vola-accidents-") as folder:
        Path(folder).chmod(0o755)
        for number, name in enumerate(arguments.only):
            place = Path(folder) / f"{number}"
            result = stage_accident(name, place, arguments.seconds, arguments.deals)
            print(result.row(), *result.lost[:10], sep="\n", flush=True)
            failed_count += not result.is_good()
    return 1 if failed_count else 0


if __name__ == "__main__":
    sys.exit(main())
