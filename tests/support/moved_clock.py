"""A clock that a test moves, for `vola` and the servers that it starts.

`python -m tests.support.moved_clock serve` is `vola serve` whose PostgreSQL and Valkey have the
moved clock as well, since Vola passes almost nothing of its environment on to them. It needs a C
compiler on Linux. (libfaketime 0.9.10 breaks `time.sleep` when it does not change the monotonic
clock.)
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from api.cli import main as cli
from ledger.embedded import run_as

MODULE = ("tests.support.moved_clock",)
VARIABLES = ("LD_PRELOAD", "MOVED_CLOCK")
HOUR_SECONDS = 3600
TEN_YEARS_SECONDS = 3652 * 24 * HOUR_SECONDS
SOURCE = Path(__file__).with_suffix(".c")


class MovedClock:
    """The clock of the processes that get its `environment`; at first it shows the right time."""

    def __init__(self, folder: Path) -> None:
        """Compile the library into `folder`, whose path must have no space, and which the user of
        the embedded servers must be able to reach."""
        self._library, self._file = folder / "moved_clock.so", folder / "moved_clock"
        self.move(0)
        self._file.chmod(0o644)
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", f"{self._library}", f"{SOURCE}"]
        subprocess.run(command, check=True)

    @staticmethod
    def is_possible() -> bool:
        return sys.platform == "linux" and shutil.which("cc") is not None

    @property
    def environment(self) -> dict[str, str]:
        return dict(zip(VARIABLES, (f"{self._library}", f"{self._file}"), strict=True))

    def move(self, seconds: int) -> None:
        """Set the clock's difference from the right time to this number of seconds, from now on."""
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.pwrite(descriptor, seconds.to_bytes(8, sys.byteorder, signed=True), 0)
        finally:
            os.close(descriptor)


def main() -> int:
    run_as.ENVIRONMENT.update({name: os.environ[name] for name in VARIABLES})
    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
