"""PostgreSQL 15 is the oldest supported version; no SQL needs a newer one."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import debian_servers
from tests.support.postgresql import other_version as other_server

ROOT = Path(__file__).parents[1]
SOURCES = [
    file for folder in ("migrations", "ledger", "workers", "api") for file in ROOT.joinpath(folder)
    .rglob("*.py")
]  # fmt: skip
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|LOCK|CREATE|ALTER)\b")
GROUPED_DIGITS = re.compile(r"\b\d+(?:_\d+)+\b")  # since PostgreSQL 16


def statements(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and SQL.search(node.value)
        ):
            yield node.value


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_statement_groups_its_digits(file):
    assert [s for s in statements(file) if GROUPED_DIGITS.search(s)] == []


@pytest.mark.parametrize("file", sorted((ROOT / "migrations").glob("*.sql")), ids=lambda f: f.name)
def test_no_migration_groups_its_digits(file):
    assert not GROUPED_DIGITS.search(file.read_text("utf-8"))


TESTS_WITH_MOST_SQL = (
    "tests/api/resources/test_devices.py",
    "tests/ledger/store/test_event_store.py",
    "tests/workers/test_settle_job.py",
)


@pytest.mark.parametrize("major", other_server.OLD)
def test_devices_appends_and_payments_work_on_an_older_server(major, tmp_path):
    """Run these files in another test run, since a run has one server. For all tests use
    `TEST_POSTGRES=… make test`."""
    if major == debian_servers.MAJOR and "TEST_ON_DEBIAN" in os.environ:
        pytest.skip("make test runs these files, and more, on this version.")
    programs = other_server.installed(major)
    if programs is None:
        pytest.skip(other_server.missing(major))
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *TESTS_WITH_MOST_SQL],
        cwd=ROOT,
        env={**environment, "TEST_POSTGRES": str(programs)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    assert re.search(r"^\d{2,} passed in ", run.stdout, re.MULTILINE), run.stdout
