"""Find mutants that no test notices, and print a score.

`python -m tests.verification.mutation [MODULE …]` works in a copy of the tree, with servers of its
own. Without modules it takes all of scope.py, which takes hours.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.verification.command_parser import command_parser
from tests.verification.mutation.scope import ACCESS, GAMES, MONEY, SCOPE

ROOT = Path(__file__).parents[3]
PACKAGES = ("coverage", "libcst", "mutmut")
NOT_COPIED = (".git", ".venv*", "var", "__pycache__", ".hypothesis", "bench-results", ".*_cache")
FOLDER_HELP = (
    "keeps each mutant's fate, so that another run goes on from there, and in seen-….json which "
    "test runs which line: remove those when tests change"
)


def main() -> int:
    parser = command_parser("mutation", __doc__)
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="money, access, games, or a file"
    )
    parser.add_argument("--workers", type=int, default=2, help="groups of modules at a time")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--seconds", type=float, default=60, help="of tests a mutant, at most")
    parser.add_argument("--again", action="store_true", help="also the survivors in --folder")
    parser.add_argument("--folder", type=Path, help=FOLDER_HELP)
    arguments = parser.parse_args()
    groups = {"money": [*MONEY], "access": [*ACCESS], "games": [*GAMES], "all": [*SCOPE]}
    modules = [
        module for name in arguments.modules or ["all"] for module in groups.get(name, [name])
    ]
    if unknown := [module for module in modules if module not in SCOPE]:
        parser.error(
            f"tests/verification/mutation/scope.py names no tests for {', '.join(unknown)}"
        )
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        parser.error(f"not installed: {', '.join(missing)}; `make mutants` installs them")
    from tests.verification.mutation.run import RunOptions, run  # it needs PACKAGES

    os.nice(19 - os.nice(0))
    with TemporaryDirectory(prefix="vola-mutants-") as temporary:
        folder = (arguments.folder or Path(temporary) / "judged").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ROOT, f"{temporary}/vola", ignore=shutil.ignore_patterns(*NOT_COPIED))
        os.chdir(f"{temporary}/vola")
        options = RunOptions(str(folder), arguments.seconds, arguments.every, arguments.again)
        return run(modules, Path(temporary) / "servers", arguments.workers, options)


if __name__ == "__main__":
    sys.exit(main())
