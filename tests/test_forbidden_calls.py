"""What cannot be turned against anybody because it is not in the code at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.api.test_openapi import ROOT


def imported() -> Iterator[tuple[str, str]]:
    for package in ("api", "engine", "ledger", "workers", "migrations"):
        for path in (ROOT / package).rglob("*.py"):
            where = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    yield from ((where, alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    yield where, node.module
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield where, f"{node.func.id}()"


def test_the_server_asks_no_other_server_and_reads_nothing_that_could_run() -> None:
    """No address from outside is ever fetched; no XML, no pickle, no eval: nothing to confuse."""
    asks = ("urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib")
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
    found = {
        (where, name)
        for where, name in imported()
        if any(name == bad or name.startswith(f"{bad}.") for bad in (*asks, *runs))
    }
    client = {("api/demo.py", name) for name in ("urllib.request", "http.client")}  # `vola demo`
    assert found == client


def test_what_is_secret_is_compared_in_a_time_that_tells_nothing() -> None:
    """Where a token, a seal of one or a PIN is held against what somebody has sent."""
    for file in ("api/access.py", "ledger/pins.py"):
        text = (ROOT / file).read_text("utf-8")
        compares = [
            ast.unparse(node)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Compare)
            and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        ]
        assert "compare_digest" in text
        assert not [c for c in compares if re.search(r"token|right|pin\b|digest|mac", c)]
