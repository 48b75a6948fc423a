"""The form and the contract list the languages that have a catalog."""

import re
from pathlib import Path
from typing import Any

import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import DAY_PATTERNS
from api.representations.openapi_document import assemble_document

FORM = Path(__file__).parents[2] / "api" / "web"
TABLE = re.compile(r"\{ sv: [^{}]*\}")
TABLES = [
    pytest.param(table, id=file.name)
    for file in sorted((FORM / "static").rglob("*.js"))
    for table in TABLE.findall(file.read_text("utf-8"))
]


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_the_form_has_every_language(table: str) -> None:
    assert tuple(re.findall(r"(\w+): ['\"]", table)) == LANGUAGES


def test_the_page_without_javascript_has_a_sentence_in_every_language() -> None:
    page = (FORM / "templates" / "form.html").read_text("utf-8")
    assert set(re.findall(r'<span lang="(\w+)">', page)) == set(LANGUAGES)


def test_days_are_written_in_every_language() -> None:
    assert set(DAY_PATTERNS) == set(LANGUAGES)


def lists_of_languages(node: Any) -> list[list[str]]:
    if isinstance(node, dict):
        return [found for value in node.values() for found in lists_of_languages(value)]
    if isinstance(node, list):
        if "sv" in node:
            return [node]
        return [found for value in node for found in lists_of_languages(value)]
    return []


def test_the_contract_lists_every_language() -> None:
    lists = lists_of_languages(assemble_document())
    assert lists
    assert [languages for languages in lists if languages != list(LANGUAGES)] == []
