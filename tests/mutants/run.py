"""Module after module, some at a time, over servers that all of them share."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.mutants.ground import Ground
from tests.mutants.judge import Judged, forked, judged, waited, watched
from tests.mutants.made import mutants
from tests.mutants.scope import SCOPE
from tests.mutants.seen import Seen
from tests.mutants.table import Row, table

PACKAGES = ("engine", "ledger", "workers", "migrations", "api")
FOREIGN = (
    *("babel.numbers", "cryptography", "flask", "hypothesis", "marshmallow", "msgspec"),
    *("psycopg_pool", "pytest", "redis", "rq", "segno", "typst", "xlsxwriter", "yaml"),
)


def run(modules: list[str], there: Path, workers: int, folder: Path, seconds: float) -> int:
    """Prints a line a survivor and a table at the end; 1 if a module could not be judged."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for module in modules:
        groups.setdefault(SCOPE[module], []).append(module)
    folder.mkdir(parents=True, exist_ok=True)
    with _servers(there / "servers") as urls, ThreadPoolExecutor(workers) as pool:
        asks = [
            {
                "modules": together,
                "told": str(there / f"seen-{number}.json"),
                "out": str(folder),
                "ground": {**urls, "house": f"m{number}"},
                "seconds": seconds,
            }
            for number, together in enumerate(groups.values(), start=1)
        ]
        done = all(pool.map(_apart, asks))
    files = {module: _file(folder, module) for module in modules}
    print(table([Row.read(module, file) for module, file in files.items() if file.exists()]))
    return not done


@contextmanager
def _servers(data: Path) -> Iterator[dict[str, str]]:
    data.mkdir()
    command = [sys.executable, "-m", "tests.mutants.servers", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()


def _apart(ask: dict[str, object]) -> bool:
    """In a process of its own, which forks for every mutant: it must have one thread only."""
    command = [sys.executable, "-m", "tests.mutants.run"]
    return not subprocess.run(command, input=json.dumps(ask), text=True, check=False).returncode


def _together(
    modules: list[str], told: str, out: str, ground: dict[str, str], seconds: float
) -> int:
    """Modules that the same tests are about."""
    for name in FOREIGN:
        with suppress(ImportError):
            importlib.import_module(name)
    tests = [path for path in SCOPE[modules[0]] if Path(path).exists()]
    began = time.monotonic()
    seen = watched(modules, tests, Ground(**ground), Path(told))
    one = next(iter(seen.values()))
    print(f"{len(one.seconds)} tests in {time.monotonic() - began:.0f} s for {modules}", flush=True)
    fates = [
        waited(forked(partial(_one, m, tests, seen[m], Ground(**ground), Path(out), seconds)))
        for m in modules
    ]
    return fates != ["survived"] * len(modules)


def _one(
    module: str, tests: list[str], seen: Seen, ground: Ground, out: Path, seconds: float
) -> int:
    made, began = mutants(module), time.monotonic()
    for name in _unconcerned(module):
        with suppress(ImportError):
            importlib.import_module(name)
    with _file(out, module).open("w", encoding="utf-8") as lines:
        for one in judged(module, made, tests, seen, ground, seconds):
            lines.write(json.dumps(_told(one), ensure_ascii=False) + "\n")
            lines.flush()
            if one.fate == "survived":
                print(f"  {one.mutant.id} [{one.tests}]  {one.mutant.told}", flush=True)
    print(f"{module}: {len(made)} mutants in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _file(folder: Path, module: str) -> Path:
    return folder / f"{module.replace('/', '.')}.jsonl"


def _told(one: Judged) -> dict[str, object]:
    mutant = one.mutant
    what = {"line": mutant.line, "function": mutant.function, "told": mutant.told}
    return {"id": mutant.id, **what, "fate": one.fate, "tests": one.tests}


def _unconcerned(module: str) -> list[str]:
    """Our modules that do not import this one, whatever they import."""
    imports: dict[str, set[str]] = {}
    for package in PACKAGES:
        for file in Path(package).rglob("*.py"):
            name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
            imports[name] = set(_imports(file))
    concerned = {module.removesuffix(".py").replace("/", ".")}
    while more := {name for name in imports if imports[name] & concerned} - concerned:
        concerned |= more
    return sorted(name for name in imports if name not in concerned and "cli" not in name)


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


if __name__ == "__main__":
    sys.exit(_together(**json.loads(sys.stdin.read())))
