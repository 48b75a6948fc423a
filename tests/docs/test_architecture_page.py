"""docs/architecture.md names files and functions that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FOLDERS = ("engine/", "ledger/", "workers/", "api/", "migrations/", "tests/")
NAMED = sorted({name for name in re.findall(r"`([^`\s]+)`", PAGE) if name.startswith(FOLDERS)})


def functions(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_exists(name: str) -> None:
    path, _, function = name.partition(":")
    assert (ROOT / path).exists()
    assert not function or function in functions(ROOT / path)


def test_the_page_walks_through_a_request() -> None:
    assert len([name for name in NAMED if ":" in name]) >= 15
