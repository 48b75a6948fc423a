"""The smoke size of the browser tests, which take longer than all others together.

With BROWSER_SMOKE_SEED, as in CI, a quarter of them run, and of a test with several cases one. The
seed chooses: with the commit as seed, other tests run for the next commit.
"""

import os
from hashlib import sha256

import pytest

SEED = os.environ.get("BROWSER_SMOKE_SEED")


def select_tests(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """Return the tests of `items` that run with `seed`, in their order: a quarter of the test
    functions, each with one of its cases."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        function, _, _ = item.nodeid.partition("[")
        cases.setdefault(function, []).append(item)
    functions = sorted(cases, key=lambda function: _rank(function, seed))
    chosen = {
        min(cases[function], key=lambda item: _rank(item.nodeid, seed)).nodeid
        for function in functions[: -(-len(functions) // 4)]
    }
    return [item for item in items if item.nodeid in chosen]


def _rank(name: str, seed: str) -> bytes:
    return sha256(f"{seed} {name}".encode()).digest()
