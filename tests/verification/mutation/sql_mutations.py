"""Mutations of queries, such as a condition that does not count, or a boundary that is off."""

from __future__ import annotations

import re
from collections.abc import Iterator

QUERY = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b")
SQL_MUTATIONS: tuple[tuple[str, str], ...] = (
    (r"\bAND\b", "OR"),
    (r"\bOR\b", "AND"),
    (r"\bIS NULL\b", "IS NOT NULL"),
    (r"\bIS NOT NULL\b", "IS NULL"),
    (r"\bAND NOT\b", "AND"),
    (r" = (?=[%'0-9a-z])", " <> "),
    (r" <> ", " = "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" \+ ", " - "),
    (r" - (?=[a-z])", " + "),
    (r"\bmax\(", "min("),
    (r"\bmin\(", "max("),
    (r"\bsum\(", "max("),
    (r"\bbool_or\(", "bool_and("),
    (r"\bcount\(\*\)", "count(*) + 1"),
    (r", 0\)", ", 1)"),
    (r"\b1000000\b", "1000001"),
    (r"\bORDER BY .*", ""),
    (r"\bFOR UPDATE\b", ""),
    (r"\bDO NOTHING\b", "DO UPDATE SET code = excluded.code"),
    (r"\bDESC\b", ""),
)


def mutate_query(text: str) -> Iterator[str]:
    """Yield the string literal with one thing wrong each time, if it is a query."""
    if not QUERY.search(text):
        return
    for pattern, replacement in SQL_MUTATIONS:
        for match in re.finditer(pattern, text):
            end = '"' if match[0].endswith('"') else ""  # a one-line query ends with its quote
            yield text[: match.start()] + replacement + end + text[match.end() :]
