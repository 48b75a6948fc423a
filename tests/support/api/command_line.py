"""Running `vola` as a process of its own, and what a refusal looks like."""

import os
import subprocess
import sys
from typing import Any


def run_vola(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end; it never ends in a traceback."""
    process = subprocess.run(
        [sys.executable, "-m", "api.cli.main", *arguments],
        env={**os.environ, "PORT": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in process.stderr, process.stderr
    return process


def assert_refused(process: Any, *words: str) -> None:
    """Exit code 2 and one sentence, which holds these words."""
    assert process.returncode == 2, process
    assert len(process.stderr.strip().splitlines()) == 1, process.stderr
    for word in words:
        assert word in process.stderr, process.stderr
