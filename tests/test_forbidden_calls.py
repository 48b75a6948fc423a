"""Calls that the code must not contain, so that they cannot be exploited."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.support.api.openapi_contract import ROOT


def imported() -> Iterator[tuple[str, str]]:
    for package in ("api", "engine", "ledger", "workers", "migrations"):
        for path in (ROOT / package).rglob("*.py"):
            file = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    yield from ((file, alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    yield file, node.module
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield file, f"{node.func.id}()"


def test_the_server_has_no_http_client_and_no_unsafe_parser() -> None:
    """It fetches no URL and uses no XML, pickle or eval."""
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
    assert not violations


def test_secrets_are_compared_in_constant_time() -> None:
    """This holds where a token or its hash is compared with a request."""
    text = (ROOT / "api/auth/tokens.py").read_text("utf-8")
    compares = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare)
        and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
    ]
    assert "compare_digest" in text
    assert not [c for c in compares if re.search(r"token|right|digest|mac", c)]
