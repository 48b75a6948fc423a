"""Processes that share one piece of work (ledger/crew.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger import crew

SLOW_TO_BEGIN = """
import os, sys
open(sys.argv[1]).close()
asked = os.read(0, 1 << 16).count(b"\\n")
os.write(1, b"true\\n" * asked)
while asked := os.read(0, 1 << 16).count(b"\\n"):
    os.write(1, b"true\\n" * asked)
"""
"""Answers whatever it has been asked until it was let begin in one go."""


def test_who_was_slow_to_begin_the_first_work_is_not_waited_for_in_vain_at_the_second(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of two threads that read its answers, one threw away what the other had not read yet."""
    road = tmp_path / "road"
    os.mkfifo(road)
    start, program = subprocess.Popen, [sys.executable, "-c", SLOW_TO_BEGIN, str(road)]
    monkeypatch.setattr(crew.subprocess, "Popen", lambda _, **how: start(program, **how))

    def works(part: int, begun_before: bool) -> bool:
        if part == 3:  # of the second work; the helper has been asked for the first part of it
            road.write_text("")
        return True

    with ThreadPoolExecutor() as beside, crew.Crew("", 1, "what it is about") as others:
        assert list(others.share([1], works)) == [True]
        second = beside.submit(lambda: list(others.share([2, 3, 4, 5], works)))
        try:
            assert second.result(timeout=20) == [True] * 4
        finally:
            others.__exit__()
