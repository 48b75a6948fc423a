"""Test files import no other test file, and the names of tests are short."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("test_*.py"))
MAX_NAME_LENGTH = 70

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(TESTS)))


def imported_modules(tree):
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)


def is_test_module(module):
    file = TESTS.parent.joinpath(*module.split(".")).with_suffix(".py")
    return file.is_file() and (file.name.startswith("test_") or file.name == "conftest.py")


@each_file
def test_a_test_file_imports_no_other(file):
    tree = ast.parse(file.read_text())
    assert [module for module in imported_modules(tree) if is_test_module(module)] == []


@each_file
def test_the_name_of_a_test_has_at_most_70_characters(file):
    functions = (n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.FunctionDef))
    names = [function.name for function in functions if function.name.startswith("test_")]
    assert [name for name in names if len(name) > MAX_NAME_LENGTH] == []
