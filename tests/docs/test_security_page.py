"""docs/security.md promises only what a test shows."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.api.callers import TokenHolder, forged_tokens
from tests.support.proofs.cosigned_documents import COSIGNED
from tests.support.proofs.statement_forgeries import FORGERIES
from tests.support.proofs.tampered_exports import VALID_KINDS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| threat |")
]


@cache
def named_in(file: str) -> set[str]:
    path = ROOT / "tests" / file
    assert path.exists(), f"{file} is no file of tests"
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {n.name for n in nodes if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_threat_has_a_behaviour_and_an_existing_test(row: list[str]) -> None:
    assert len(row) == 3, row
    threat, behaviour, test_reference = row
    assert threat
    assert behaviour
    match = re.fullmatch(r"`([\w/]+\.py)(?:::(test_\w+))?`", test_reference)
    assert match, test_reference
    file, name = match.groups()
    assert named_in(file), file
    assert name is None or name in named_in(file), test_reference


def test_every_chapter_and_all_ten_risks_are_covered() -> None:
    threats = [row[0] for row in ROWS]
    assert len(threats) == len(set(threats)) > 60
    assert [n for n in range(1, 18) if not re.search(rf"\bV{n}\b", PAGE)] == []
    assert [n for n in range(1, 11) if not any(t.startswith(f"API{n} ") for t in threats)] == []


def test_the_kinds_of_forgery_are_counted() -> None:
    holder = TokenHolder("", {"host": "host0.AA", "viewer": "viewer0.AA"})
    refused = [code for code, _ in COSIGNED.values() if code not in {*VALID_KINDS, "unsigned"}]
    assert f"{len(forged_tokens(holder))} kinds of forgery fail" in PAGE
    assert f"the audit refuse {len(refused)} kinds of forgery" in PAGE
    assert f"finds {len(FORGERIES)} kinds of forgery" in PAGE
