"""Run Vola with a planted bug.

`python -m tests.verification.chaos.planted_bugs BUG serve` is `vola serve` with one of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from api.cli import main as cli
from api.server import child_process
from tests.verification.chaos.planted_bugs import BUGS


def main() -> int:
    name, *command = sys.argv[1:]
    BUGS[name].plant()

    class PlantedProcess(subprocess.Popen[Any]):
        """A child process with the same bug."""

        def __init__(self, arguments: list[str], *more: Any, **options: Any) -> None:
            if "api.cli.main" in arguments:
                at = arguments.index("api.cli.main")
                arguments = [
                    *arguments[:at],
                    "tests.verification.chaos.planted_bugs",
                    name,
                    *arguments[at + 1 :],
                ]
            super().__init__(arguments, *more, **options)

    child_process.subprocess.Popen = PlantedProcess  # type: ignore[misc]
    os.environ["PYTHONUNBUFFERED"] = "1"
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main())
