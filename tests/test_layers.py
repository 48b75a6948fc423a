"""Layers import only downwards, money has no fractions, and shared code names no game."""

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from engine.games.registry import GAMES

ROOT = Path(__file__).parents[1]
LAYERS = {
    "engine": {"engine"},
    "ledger": {"ledger", "engine"},
    "workers": {"workers", "ledger", "engine"},
    "migrations": {"migrations"},
    "api": {"api", "workers", "ledger", "engine", "migrations"},
}
ROOT_MODULES = "the modules at the root of the layer"
FOLDER_ORDER = {
    "engine": (ROOT_MODULES, "events", "errors", "tricks", "scoring", "games", "session"),
    "api": (
        *(
            ROOT_MODULES,
            "i18n",
            "http",
            "observability",
            "settings",
            "auth",
            "rate_limit",
            "schemas",
        ),
        *("representations", "printing", "statements", "resources", "web", "verify", "witness"),
        *("app", "server", "cli"),
    ),
}
"""The folders of a layer, lowest first: a folder imports from itself and from those before it."""
MAX_MODULES = {"api/resources": 24}
DEFAULT_MAX_MODULES = 12
MAX_LINES = 300
MAX_MEAN_LINES = 130
FILES = [(layer, file) for layer in LAYERS for file in sorted((ROOT / layer).rglob("*.py"))]
IMPURE = {
    *("os", "sys", "io", "pathlib", "tempfile", "subprocess", "socket", "threading", "asyncio"),
    *("time", "datetime", "random", "secrets", "uuid", "logging", "locale", "platform"),
    *("decimal", "fractions", "math", "statistics"),
}
LEDGER = ROOT / "ledger"
LEDGER_WITHOUT_A_DATABASE = sorted(
    file
    for place in (
        *("events/*.py", "projections/*.py", "session/*.py"),
        *("proofs/merkle_tree.py", "proofs/checkpoint.py"),
        *("reporting/payment_plan.py", "reporting/statement.py", "reporting/posting_reasons.py"),
        *("reporting/deal_outcome.py", "reporting/provenance.py"),
    )
    for file in LEDGER.glob(place)
)


def files(*layers, but=()):
    """Return a test case for each file, with its path as id."""
    layer_files = [(layer, f) for layer, f in FILES if layer in layers]
    chosen_files = (
        [(layer, f) for layer, f in layer_files if not f.is_relative_to(ROOT / but)]
        if but
        else layer_files
    )
    names = [str(file.relative_to(ROOT)) for _, file in chosen_files]
    return pytest.mark.parametrize(("layer", "file"), chosen_files, ids=names)


@cache
def tree(file):
    return ast.parse(file.read_text())


def modules(file):
    """Return the full names of the modules that a file imports."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom():
                raise AssertionError(f"{file}: imports are written out from the root")


def folder(layer, path):
    """Return the folder of the layer that a module or file lies in, given as path parts.

    A root module with a place of its own in the order, such as `api/app.py`, is its own folder.
    """
    name = path[0].removesuffix(".py") if path else "__init__"
    return name if name in FOLDER_ORDER[layer] else ROOT_MODULES


def packages(file):
    return {module.partition(".")[0] for module in modules(file)}


def line_count(file):
    return len(file.read_text().splitlines())


def called_functions(file):
    """Return the functions that a file calls by bare name."""
    return {
        node.func.id
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


@files(*LAYERS)
def test_a_layer_imports_only_lower_layers(layer, file):
    assert packages(file) & set(LAYERS) <= LAYERS[layer]


@files(*FOLDER_ORDER)
def test_imports_inside_a_layer_run_downwards(layer, file):
    """Lazy imports and those for types alone count as well."""
    order = FOLDER_ORDER[layer]
    own = order.index(folder(layer, file.relative_to(ROOT / layer).parts))
    for module in modules(file):
        root, *path = module.split(".")
        if root == layer and path:
            assert order.index(folder(layer, path)) <= own, module


def test_no_modules_import_each_other_in_a_circle():
    """Lazy imports and those for types alone count as well."""
    names = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts): file
        for _, file in FILES
        if file.stem != "__init__"
    }
    imports = {name: {m for m in modules(file) if m in names} for name, file in names.items()}
    TopologicalSorter(imports).prepare()  # CycleError names the circle


@pytest.mark.parametrize("layer", FOLDER_ORDER)
def test_every_folder_of_a_layer_has_its_place(layer):
    folders = {file.parent.name for file in (ROOT / layer).glob("*/__init__.py")}
    root_modules = {file.stem for file in (ROOT / layer).glob("*.py")} - {"__init__"}
    placed = set(FOLDER_ORDER[layer]) - {ROOT_MODULES}
    assert folders <= placed <= folders | root_modules


PACKAGES = sorted(
    file.parent.relative_to(ROOT)
    for layer in LAYERS
    for file in (ROOT / layer).rglob("__init__.py")
)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_package_has_at_most_twelve_modules(package):
    modules_in_it = [file for file in (ROOT / package).glob("*.py") if file.stem != "__init__"]
    most = MAX_MODULES.get(str(package), DEFAULT_MAX_MODULES)
    assert len(modules_in_it) <= most, (
        f"{package} is full ({most} modules): extend one, or put some in a folder"
    )


@files(*LAYERS)
def test_a_file_has_at_most_300_lines(layer, file):
    assert line_count(file) <= MAX_LINES


def test_files_have_at_most_130_lines_on_average():
    assert sum(line_count(file) for _, file in FILES) <= MAX_MEAN_LINES * len(FILES)


@files("engine")
def test_the_engine_imports_only_python_and_msgspec(layer, file):
    assert packages(file) <= sys.stdlib_module_names | {"engine", "msgspec"}


@files("engine")
def test_the_engine_uses_no_clock_no_randomness_and_no_system(layer, file):
    assert not packages(file) & IMPURE
    assert not called_functions(file) & {"open", "print", "input", "hash", "id", "eval", "exec"}


@pytest.mark.parametrize(
    "file", LEDGER_WITHOUT_A_DATABASE, ids=lambda file: str(file.relative_to(LEDGER))
)
def test_the_folds_of_the_ledger_need_no_database(file):
    """They need no clock either: times are parameters."""
    ours = {m for m in modules(file) if m.startswith("ledger.")}
    forbidden = {"psycopg", "psycopg_pool", "redis", "rq", "time", "os"}
    forbidden |= {"datetime"} - ({"datetime"} if file.name == "timestamps.py" else set())
    assert not packages(file) & forbidden
    assert not {name for name in ours if name.startswith(("ledger.store", "ledger.embedded"))}


def fractions(file):
    """Return the lines where a file divides or has a number that is not whole."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield node.lineno, "/"
            case ast.Name(id="float") | ast.Call(func=ast.Name(id="round" | "pow")):
                yield node.lineno, "float"
            case ast.Constant(value=float() | complex()):
                yield node.lineno, node.value


@files("engine", "ledger", but="ledger/embedded")
def test_no_fractions_where_money_is(layer, file):
    """`ledger/embedded` is left out: it joins paths with `/`, waits for fractions of a second, and
    has no money (see below)."""
    assert not list(fractions(file))


@pytest.mark.parametrize(
    "file", sorted((ROOT / "ledger" / "embedded").glob("*.py")), ids=lambda file: file.name
)
def test_the_embedded_servers_import_nothing_with_money(file):
    assert "engine" not in packages(file)
    assert {m for m in modules(file) if m.startswith("ledger")} <= {
        m for m in modules(file) if m.startswith("ledger.embedded")
    }


VERIFIER = sorted((ROOT / "api" / "verify" / "program").glob("*.py"))


@pytest.mark.parametrize("file", VERIFIER, ids=lambda file: file.name)
def test_the_verifier_imports_only_python_and_its_own_modules(file):
    """It checks what the rest of the product wrote, so it shares no code with it."""
    foreign = {m for m in modules(file) if m.partition(".")[0] not in sys.stdlib_module_names}
    assert not {m for m in foreign if not f"{m}.".startswith("api.verify.program.")}


@files(*LAYERS, but="api/verify/program")
def test_nothing_imports_a_module_of_the_verifier(layer, file):
    assert not {module for module in modules(file) if module.startswith("api.verify.program")}


LEDGER_ORDER = (
    *("embedded", "events", "proofs", "projections", "session", "store", "reporting"),
    *("access", "groups", "transfer", "rebuild", "audit", "operations"),
)
"""The folders of the ledger: each imports only from itself and from those before it."""


@pytest.mark.parametrize(
    "file", sorted(LEDGER.rglob("*/*.py")), ids=lambda f: str(f.relative_to(LEDGER))
)
def test_a_ledger_folder_imports_only_those_before_it(file):
    last = LEDGER_ORDER.index(file.relative_to(LEDGER).parts[0])
    imported = {m.split(".")[1] for m in modules(file) if m.startswith("ledger.")}
    assert imported <= set(LEDGER_ORDER[: last + 1])


def strings(file):
    """Return the string literals of a file without its docstrings."""
    explained = {id(node.value) for node in ast.walk(tree(file)) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree(file)):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in explained:
                yield text


NAMED_BY_A_VISITOR = {"api/cli/commands/demo.py"}
"""The demo opens a session and so names a game."""


@files(*LAYERS, but="engine/games")
def test_shared_code_never_compares_the_game(layer, file):
    if str(file.relative_to(ROOT)) in NAMED_BY_A_VISITOR:
        return
    assert not {text for text in strings(file) if text in GAMES}
    for node in ast.walk(tree(file)):
        match node:
            case ast.Compare(left=left, comparators=others):
                attributes = [n for n in (left, *others) if isinstance(n, ast.Attribute)]
                assert not [n for n in attributes if n.attr == "key"], f"line {node.lineno}"
    named = {part for module in modules(file) for part in module.split(".")}
    assert not named & set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_never_imports_another_game(game):
    other_games = [
        "engine.games.registry",
        *(f"engine.games.{other_game}" for other_game in GAMES if other_game != game),
    ]
    files = sorted((ROOT / "engine" / "games" / game).glob("*.py"))
    assert len(files) > 1
    for file in files:
        assert not [module for module in modules(file) if module.startswith(tuple(other_games))]


@files(*LAYERS)
def test_every_file_has_a_docstring(layer, file):
    if file.read_text().strip():
        assert ast.get_docstring(tree(file))
