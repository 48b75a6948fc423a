"""Running `vola` as a process of its own, and what a refusal looks like."""

import os
import subprocess
import sys
from typing import Any


def run_vola(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end; it never ends in a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "api.cli.main", *arguments],
        env={**os.environ, "PORT": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def assert_refused(done: Any, *words: str) -> None:
    """Exit code 2 and one sentence, which holds these words."""
    assert done.returncode == 2, done
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
