"""Run a module as a command, and return what it prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMEOUT_SECONDS = 900  # so that a hang fails with its place


def run_module(module: str, *arguments: str) -> str:
    """Return the output of `python -m module`, which must succeed."""
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
