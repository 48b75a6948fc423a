"""On Debian's PostgreSQL 15 and Redis 7, what touches the servers most does the same."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import debian_servers

ROOT = Path(__file__).parents[1]


def test_migrations_backups_queue_and_evenings_work_on_debian():
    """A test run of its own, since a run has one of each server. All tests: make test-debian."""
    missing = debian_servers.missing()
    if missing:
        pytest.skip(missing)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.debian_servers"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    assert re.search(r"^\d{2,} passed in ", run.stdout, re.MULTILINE), run.stdout
