"""PostgreSQL 15 is the oldest that Vola runs on; what only newer ones read must not be written."""

import ast
import re
from pathlib import Path

import pytest

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
