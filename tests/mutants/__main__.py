"""`python -m tests.mutants [MODULE …]`: what is wrong and nobody notices, and a score.

In a copy of the tree, in a folder of its own; the servers are started for it. Without modules all
of scope.py, which takes hours.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.run import run
from tests.mutants.scope import ACCESS, MONEY, SCOPE

ROOT = Path(__file__).parents[2]
NOT_COPIED = (".git", ".venv", "var", "__pycache__", ".hypothesis", "bench-results", ".*_cache")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="money, access, or a file")
    parser.add_argument("--workers", type=int, default=2, help="modules at a time")
    parser.add_argument("--folder", type=Path, help="where a file a module is kept of each mutant")
    parser.add_argument("--seconds", type=float, default=60, help="of tests a mutant, at most")
    asked = parser.parse_args()
    groups = {"money": [*MONEY], "access": [*ACCESS], "all": [*SCOPE]}
    modules = [m for name in asked.modules or ["all"] for m in groups.get(name, [name])]
    if unknown := [module for module in modules if module not in SCOPE]:
        parser.error(f"tests/mutants/scope.py names no tests for {', '.join(unknown)}")
    os.nice(19 - os.nice(0))
    folder = asked.folder.resolve() if asked.folder else None
    with TemporaryDirectory(prefix="vola-mutants-") as there:
        copy = Path(there) / "vola"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        os.chdir(copy)
        folder = folder or Path(there) / "judged"
        return run(modules, Path(there), asked.workers, folder, asked.seconds)


if __name__ == "__main__":
    sys.exit(main())
