"""Start an embedded PostgreSQL in a process that kills itself at a chosen step.

A step is a call by which Python starts a program, or makes, renames or removes a file or folder, as
the interpreter's audit hooks report it. A timeout reaches steps inside the programs.
"""

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.ledger.embedded_servers import REPOSITORY

SCRIPT = """
import os, signal, sys
from pathlib import Path
from ledger import embedded
EVENTS = {"subprocess.Popen", "os.rename", "os.mkdir", "os.remove", "shutil.rmtree"}
data, kill_at, pattern, number = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], 0
def count(event, arguments):
    global number
    if event in EVENTS:
        number += 1
        text = " ".join([event, *map(str, arguments)])
        print(number, text, flush=True)
        if number == kill_at or pattern and pattern in text:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
with embedded.postgres(data):
    pass
"""


@dataclass(frozen=True)
class KilledStart:
    """The steps that a start reached, and whether it was killed."""

    steps: list[str]
    killed: bool


def start_until(data: Path, step: int = 0, pattern: str = "", timeout: float = 120) -> KilledStart:
    """Start and stop the server of `data`. Kill the process before step `step`, before the first
    step whose text contains `pattern`, or after `timeout` seconds; or let it end by itself."""
    command = [sys.executable, "-c", SCRIPT, str(data), str(step), pattern]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), stderr
    return KilledStart(stdout.splitlines(), process.returncode != 0)
