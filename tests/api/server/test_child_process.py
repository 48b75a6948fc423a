"""A worker is started again whatever kept it from starting."""

import errno
import subprocess
import threading

import pytest

from api.server import child_process


def test_a_child_that_could_not_be_started_is_started_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The machine had no process id or memory left for a moment."""
    started, launch = threading.Event(), subprocess.Popen
    errors = iter([BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")])

    def launch_or_fail(command: list[str], **options: bool) -> "subprocess.Popen[bytes]":
        for error in errors:
            raise error
        started.set()
        return launch([*child_process.PYTHON_MODULE, "http.server", "--help"], **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(child_process.subprocess, "Popen", launch_or_fail)
    monkeypatch.setattr(child_process, "RETRY_SECONDS", 0)
    with child_process.child_process("worker"):
        assert started.wait(20)
    assert "worker cannot be started: Resource temporarily unavailable" in caplog.text
