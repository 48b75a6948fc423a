"""A layer looks only down; where money is there are no fractions; nobody asks which game it is."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

from engine.games import GAMES

ROOT = Path(__file__).parents[1]
LAYERS = {
    "engine": {"engine"},
    "ledger": {"ledger", "engine"},
    "workers": {"workers", "ledger", "engine"},
    "migrations": {"migrations"},
    "api": {"api", "workers", "ledger", "engine", "migrations"},
}
FILES = [(layer, file) for layer in LAYERS for file in sorted((ROOT / layer).rglob("*.py"))]
IMPURE = {
    *("os", "sys", "io", "pathlib", "tempfile", "subprocess", "socket", "threading", "asyncio"),
    *("time", "datetime", "random", "secrets", "uuid", "logging", "locale", "platform"),
    *("decimal", "fractions", "math", "statistics"),
}
LEDGER_WITHOUT_A_DATABASE = (
    *("codec", "chain", "entries", "envelope", "handling", "postings", "session", "settlement"),
    *("statement", "why", "proven", "behind", "merkle", "checkpoints"),
    *(f"projections/{file.stem}" for file in (ROOT / "ledger" / "projections").glob("*.py")),
)


def files(*layers, but=()):
    """One case a file, named as one would type it."""
    found = [(layer, f) for layer, f in FILES if layer in layers]
    kept = [(layer, f) for layer, f in found if not f.is_relative_to(ROOT / but)] if but else found
    names = [str(file.relative_to(ROOT)) for _, file in kept]
    return pytest.mark.parametrize(("layer", "file"), kept, ids=names)


@cache
def tree(file):
    return ast.parse(file.read_text())


def modules(file):
    """Every module that a file imports, by its whole name."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom():
                raise AssertionError(f"{file}: imports are written out from the root")


def packages(file):
    return {module.partition(".")[0] for module in modules(file)}


def called(file):
    """Every function that is called by its bare name."""
    return {
        node.func.id
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


@files(*LAYERS)
def test_a_layer_looks_only_down(layer, file):
    assert packages(file) & set(LAYERS) <= LAYERS[layer]


@files("engine")
def test_the_engine_needs_nothing_but_python_and_msgspec(layer, file):
    assert packages(file) <= sys.stdlib_module_names | {"engine", "msgspec"}


@files("engine")
def test_the_engine_knows_no_clock_no_chance_and_no_machine(layer, file):
    assert not packages(file) & IMPURE
    assert not called(file) & {"open", "print", "input", "hash", "id", "eval", "exec"}


@pytest.mark.parametrize("module", LEDGER_WITHOUT_A_DATABASE)
def test_what_a_session_adds_up_to_needs_no_database(module):
    """Nor a clock: times are given."""
    file = ROOT / "ledger" / f"{module}.py"
    ours = {m for m in modules(file) if m.startswith("ledger.")}
    assert not packages(file) & {"psycopg", "psycopg_pool", "redis", "rq", "time", "datetime", "os"}
    assert not ours & {f"ledger.{name}" for name in ("database", "store", "projector", "servers")}


def fractions(file):
    """Where a file divides, or has a number that is not whole."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield node.lineno, "/"
            case ast.Name(id="float") | ast.Call(func=ast.Name(id="round" | "pow")):
                yield node.lineno, "float"
            case ast.Constant(value=float() | complex()):
                yield node.lineno, node.value


@files("engine", "ledger", but="ledger/servers")
def test_no_fractions_where_money_is(layer, file):
    """`ledger/servers` starts programs: it joins paths with `/`, waits for parts of a second, and
    knows no money (see below)."""
    assert not list(fractions(file))


@pytest.mark.parametrize(
    "file", sorted((ROOT / "ledger" / "servers").glob("*.py")), ids=lambda file: file.name
)
def test_the_launcher_knows_nothing_of_money(file):
    assert "engine" not in packages(file)
    assert {m for m in modules(file) if m.startswith("ledger")} <= {
        m for m in modules(file) if m.startswith("ledger.servers")
    }


def strings(file):
    """Every text in a file but what only explains it."""
    explained = {id(node.value) for node in ast.walk(tree(file)) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree(file)):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in explained:
                yield text


NAMED_BY_A_VISITOR = {"api/demo.py"}
"""The demonstration opens an evening, as a person would, and says which game."""


@files(*LAYERS, but="engine/games")
def test_nobody_asks_which_game_it_is(layer, file):
    if str(file.relative_to(ROOT)) in NAMED_BY_A_VISITOR:
        return
    assert not {text for text in strings(file) if text in GAMES}
    for node in ast.walk(tree(file)):
        match node:
            case ast.Compare(left=left, comparators=others):
                asked = [n for n in (left, *others) if isinstance(n, ast.Attribute)]
                assert not [n for n in asked if n.attr == "key"], f"line {node.lineno}"
    named = {module.rpartition(".")[2] for module in modules(file)}
    assert not named & set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_never_imports_another_game(game):
    file = ROOT / "engine" / "games" / f"{game}.py"
    others = {f"engine.games.{other}" for other in GAMES if other != game} | {"engine.games"}
    assert not set(modules(file)) & others


@files(*LAYERS)
def test_a_file_says_first_what_it_is(layer, file):
    if file.read_text().strip():
        assert ast.get_docstring(tree(file))
