"""Runs of `vola`, and the form of its refusals."""

import io
import logging
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any
from unittest import mock

from api.cli.main import main
from api.observability.logging_config import access

INTERRUPTING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run_vola(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own, and assert that it prints no traceback."""
    process = subprocess.run(
        [sys.executable, "-m", "api.cli.main", *arguments],
        env={**os.environ, "PORT": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in process.stderr, process.stderr
    return process


def invoke_vola(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in this process, for checks that need no process of their own, and restore its
    logging, its signal handlers and its hook for exceptions that cannot be raised."""
    stdout, stderr = io.StringIO(), io.StringIO()
    root = logging.getLogger()
    signals = {number: signal.getsignal(number) for number in INTERRUPTING}
    handlers, levels = root.handlers[:], (root.level, access.level)
    with (
        mock.patch.dict(os.environ, {"PORT": "", **environment}),
        mock.patch.object(sys, "unraisablehook", sys.unraisablehook),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
    ):
        try:
            exit_code = main([*arguments])
        finally:
            root.handlers[:] = handlers
            for logger, level in zip((root, access), levels, strict=True):
                logger.setLevel(level)
            for number, handler in signals.items():
                signal.signal(number, handler)
    return subprocess.CompletedProcess(arguments, exit_code, stdout.getvalue(), stderr.getvalue())


def assert_refused(process: Any, *words: str) -> None:
    """Assert that the exit code is 2, and that one sentence with these words is on the error
    output."""
    assert process.returncode == 2, process
    assert len(process.stderr.strip().splitlines()) == 1, process.stderr
    for word in words:
        assert word in process.stderr, process.stderr
