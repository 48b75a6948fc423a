"""Calls that the code must not contain: they could be exploited, or are slow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

WITNESS_CLIENT = {("api/witness/client.py", "http.client")}
"""The HTTP client of `vola witness`, which no server imports: see its own tests."""


def syntax_nodes() -> Iterator[tuple[str, ast.AST]]:
    for package in ("api", "engine", "ledger", "workers", "migrations"):
        for path in (ROOT / package).rglob("*.py"):
            file = str(path.relative_to(ROOT))
            yield from ((file, node) for node in ast.walk(ast.parse(path.read_text("utf-8"))))


def imported() -> Iterator[tuple[str, str]]:
    for file, node in syntax_nodes():
        if isinstance(node, ast.Import):
            yield from ((file, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield file, node.module
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield file, f"{node.func.id}()"


def test_the_server_has_no_http_client_and_no_unsafe_parser() -> None:
    """It fetches no URL and uses no XML, pickle or eval. The client of the command `vola witness`
    is a module that only commands import."""
    clients = ("urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib")
    runs = (
        "xml",
        "lxml",
        "pickle",
        "marshal",
        "shelve",
        "dill",
        "eval()",
        "exec()",
        "__import__()",
    )
    violations = {
        (file, name)
        for file, name in imported()
        if any(name == bad or name.startswith(f"{bad}.") for bad in (*clients, *runs))
    }
    assert violations == WITNESS_CLIENT
    importers = {file for file, name in imported() if name.startswith("api.witness")}
    outside = {file for file in importers if not file.startswith("api/witness/")}
    assert all(file.startswith("api/cli/") for file in outside), outside


def test_secrets_are_compared_in_constant_time() -> None:
    """This holds in api/auth/tokens.py, which compares a request's token or the hash of it."""
    text = (ROOT / "api/auth/tokens.py").read_text("utf-8")
    compares = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare)
        and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
    ]
    assert "compare_digest" in text
    assert not [c for c in compares if re.search(r"token|right|digest|mac", c)]


def test_no_empty_collection_is_made_through_its_type_arguments() -> None:
    """`list[int]()` makes an object for the type first: it takes ten times as long as `[]`."""
    collections = "list|dict|set|frozenset|tuple|deque|defaultdict|OrderedDict|Counter"
    calls = [
        (file, ast.unparse(node))
        for file, node in syntax_nodes()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and re.fullmatch(collections, ast.unparse(node.func.value))
    ]
    assert calls == []
