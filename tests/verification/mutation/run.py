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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from tests.verification.mutation.line_coverage import Seen, read
from tests.verification.mutation.mutant_runner import Judged, forked, judged, waited, watched
from tests.verification.mutation.mutants import mutants
from tests.verification.mutation.result_table import Row, table
from tests.verification.mutation.scope import SCOPE
from tests.verification.mutation.shared_servers import Ground

PACKAGES = ("engine", "ledger", "workers", "migrations", "api")
FOREIGN = (
    *("babel.numbers", "cryptography", "flask", "hypothesis", "marshmallow", "msgspec"),
    *("psycopg_pool", "pytest", "redis", "rq", "segno", "typst", "xlsxwriter", "yaml"),
)


@dataclass(frozen=True)
class How:
    """`folder`: where a file a module is kept; `seconds`: of tests for one mutant, at most;
    `every`: so many-th mutant alone; `again`: not those alone that the folder does not know, but
    those that survived by it as well."""

    folder: str
    seconds: float
    every: int
    again: bool

    def file(self, module: str) -> Path:
        return Path(self.folder) / f"{module.replace('/', '.')}.jsonl"

    def seen(self, module: str) -> Path:
        return Path(self.folder) / f"seen-{module.replace('/', '.')}.json"


def run(modules: list[str], servers: Path, workers: int, how: How) -> int:
    """Prints a line a survivor and a table at the end; 1 if a module could not be judged."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for module in modules:
        groups.setdefault(SCOPE[module], []).append(module)
    with _servers(servers) as urls, ThreadPoolExecutor(workers) as pool:
        asks = [
            {"modules": together, "ground": urls, "how": asdict(how)}
            for together in groups.values()
        ]
        done = all(pool.map(_apart, asks))
    rows = [Row.read(module, how.file(module)) for module in modules if how.file(module).exists()]
    print(table(rows))
    return not done


@contextmanager
def _servers(data: Path) -> Iterator[dict[str, str]]:
    data.mkdir()
    command = [sys.executable, "-m", "tests.verification.mutation.server_process", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()


def _apart(ask: dict[str, object]) -> bool:
    """In a process of its own, which forks for every mutant: it must have one thread only."""
    command = [sys.executable, "-m", "tests.verification.mutation.run"]
    return not subprocess.run(command, input=json.dumps(ask), text=True, check=False).returncode


def _together(modules: list[str], ground: Ground, how: How) -> bool:
    """Modules that the same tests are about; whether all of them could be judged."""
    for name in FOREIGN:
        with suppress(ImportError):
            importlib.import_module(name)
    tests = [path for path in SCOPE[modules[0]] if Path(path).exists()]
    began, told = time.monotonic(), how.seen(modules[0])
    seen = read(told) if told.exists() else {}
    if not seen.keys() >= set(modules):
        seen = watched(modules, tests, ground, told)
    count = len(seen[modules[0]].seconds)
    for test in seen[modules[0]].failed:
        print(f"  fails although nothing is wrong, and is not asked: {test}", flush=True)
    print(f"{count} tests in {time.monotonic() - began:.0f} s for {' '.join(modules)}", flush=True)
    fates = [waited(forked(partial(_one, m, tests, seen[m], ground, how))) for m in modules]
    return fates == ["survived"] * len(modules)


def _one(module: str, tests: list[str], seen: Seen, ground: Ground, how: How) -> int:
    began, kept, file = time.monotonic(), dict[str, str](), how.file(module)
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        told = json.loads(line)
        if not (how.again and told["fate"] == "survived"):
            kept[told["id"] + told["told"]] = line
    made = [one for one in mutants(module)[:: how.every] if one.id + one.told not in kept]
    if not made:
        return 0
    for name in _unconcerned(module):
        with suppress(ImportError):
            importlib.import_module(name)
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{line}\n" for line in kept.values())
        for one in judged(module, made, tests, seen, ground, how.seconds):
            lines.write(json.dumps(_told(one), ensure_ascii=False) + "\n")
            lines.flush()
            if one.fate == "survived":
                print(f"  {one.mutant.id} [{one.tests}]  {one.mutant.told}", flush=True)
    print(f"{module}: {len(made)} mutants in {time.monotonic() - began:.0f} s", flush=True)
    return 0


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
            # a package is imported before what is in it
            imports[name] = {*_imports(file), name.rpartition(".")[0]}
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
    ask = json.loads(sys.stdin.read())
    sys.exit(not _together(ask["modules"], Ground(**ask["ground"]), How(**ask["how"])))
