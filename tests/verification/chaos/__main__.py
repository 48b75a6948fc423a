"""Inject faults, and check the book: `make chaos`. The same seed repeats the same faults."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from secrets import token_hex

from tests.support import interrupts
from tests.verification.chaos.planted_bugs import BUGS
from tests.verification.chaos.run import run, run_with_bug
from tests.verification.command_parser import command_parser


def run_planted_bugs(folder: Path, seed: str) -> int:
    """Run each bug for 25 seconds on a server of its own; the checks must catch it."""
    missed = 0
    for name, bug in BUGS.items():
        result = run_with_bug(name, folder / name, seed, phones=8, seconds=25)
        columns = {
            column: len(sentences) for column, sentences in result.findings.items() if sentences
        }
        caught = bool(columns.keys() & set(bug.columns))
        missed += not caught
        verdict = "caught" if caught else "MISSED"
        actions = result.counted["actions"]
        print(f"{name:30} {verdict} after {actions} actions: {columns}", flush=True)
    print(f"{len(BUGS) - missed} of {len(BUGS)} planted bugs caught")
    return 1 if missed else 0


def main() -> int:
    parser = command_parser("chaos", __doc__)
    parser.add_argument("--faults", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--phones", type=int, default=12)
    parser.add_argument("--seed", default="")
    parser.add_argument("--keep", type=Path, help="a folder for the history and the server's data")
    parser.add_argument("--planted", action="store_true", help="each planted bug must be found")
    arguments = parser.parse_args()
    interrupts.exit_on_sigterm()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="vola-chaos-"))
    seed = arguments.seed or token_hex(4)
    print(f"seed {seed}, history in {folder}", flush=True)
    if arguments.planted:
        return run_planted_bugs(folder, seed)
    result = run(
        folder,
        seed,
        faults=arguments.faults,
        phones=arguments.phones,
        seconds=arguments.seconds,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(result.table())
    return 0 if result.good else 1


if __name__ == "__main__":
    sys.exit(main())
