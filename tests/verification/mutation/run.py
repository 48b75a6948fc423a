"""Mutate module after module, some at a time, on servers that all of them share."""

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

from tests.verification.mutation.forked_process import fork, wait_for
from tests.verification.mutation.line_coverage import LineCoverage, read
from tests.verification.mutation.mutant_runner import Verdict, judge_mutants, measure_coverage
from tests.verification.mutation.mutants import make_mutants
from tests.verification.mutation.result_table import Row, format_table
from tests.verification.mutation.scope import SCOPE
from tests.verification.mutation.shared_servers import ServerUrls

PACKAGES = ("engine", "ledger", "workers", "migrations", "api")
THIRD_PARTY_MODULES = (
    *("babel.numbers", "cryptography", "flask", "hypothesis", "marshmallow", "msgspec"),
    *("psycopg_pool", "pytest", "redis", "rq", "segno", "typst", "xlsxwriter", "yaml"),
)


@dataclass(frozen=True)
class RunOptions:
    """`folder` has one file for each module. `seconds` limits the tests of one mutant. With `every`
    = n, only each n-th mutant is run. `retry_survivors` runs not only the mutants that the folder
    does not know, but also those that survived."""

    folder: str
    seconds: float
    every: int
    retry_survivors: bool

    def file(self, module: str) -> Path:
        return Path(self.folder) / f"{module.replace('/', '.')}.jsonl"

    def coverage_file(self, module: str) -> Path:
        return Path(self.folder) / f"seen-{module.replace('/', '.')}.json"


def run(modules: list[str], servers: Path, workers: int, options: RunOptions) -> int:
    """Print a line for each survivor, and a table. Return 1 if a module could not be judged."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for module in modules:
        groups.setdefault(SCOPE[module], []).append(module)
    with _run_servers(servers) as urls, ThreadPoolExecutor(workers) as pool:
        jobs = [
            {"modules": group, "urls": urls, "options": asdict(options)}
            for group in groups.values()
        ]
        all_judged = all(pool.map(_run_process, jobs))
    rows = [
        Row.read(module, options.file(module))
        for module in modules
        if options.file(module).exists()
    ]
    print(format_table(rows))
    return not all_judged


@contextmanager
def _run_servers(data: Path) -> Iterator[dict[str, str]]:
    data.mkdir()
    command = [sys.executable, "-m", "tests.verification.mutation.server_process", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()


def _run_process(request: dict[str, object]) -> bool:
    """Judge a group in a process with only one thread, because it forks for every mutant."""
    command = [sys.executable, "-m", "tests.verification.mutation.run"]
    return not subprocess.run(command, input=json.dumps(request), text=True, check=False).returncode


def _judge_group(modules: list[str], urls: ServerUrls, options: RunOptions) -> bool:
    """Judge modules with the same tests. Return whether all of them could be judged."""
    for name in THIRD_PARTY_MODULES:
        with suppress(ImportError):
            importlib.import_module(name)
    tests = [path for path in SCOPE[modules[0]] if Path(path).exists()]
    began, report = time.monotonic(), options.coverage_file(modules[0])
    coverage = read(report) if report.exists() else {}
    if not coverage.keys() >= set(modules):
        coverage = measure_coverage(modules, tests, urls, report)
    count = len(coverage[modules[0]].seconds)
    for test in coverage[modules[0]].failed:
        print(f"  fails although nothing is wrong, and is not asked: {test}", flush=True)
    print(f"{count} tests in {time.monotonic() - began:.0f} s for {' '.join(modules)}", flush=True)
    fates = [
        wait_for(fork(partial(_judge_module, module, tests, coverage[module], urls, options)))
        for module in modules
    ]
    return fates == ["survived"] * len(modules)


def _judge_module(
    module: str, tests: list[str], coverage: LineCoverage, urls: ServerUrls, options: RunOptions
) -> int:
    began, file = time.monotonic(), options.file(module)
    judged_before: dict[str, str] = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        row = json.loads(line)
        if not (options.retry_survivors and row["fate"] == "survived"):
            judged_before[row["id"] + row["told"]] = line
    remaining = [
        mutant
        for mutant in make_mutants(module)[:: options.every]
        if mutant.id + mutant.description not in judged_before
    ]
    if not remaining:
        return 0
    for name in _modules_without_import_of(module):
        with suppress(ImportError):
            importlib.import_module(name)
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{line}\n" for line in judged_before.values())
        for verdict in judge_mutants(module, remaining, tests, coverage, urls, options.seconds):
            lines.write(json.dumps(_verdict_row(verdict), ensure_ascii=False) + "\n")
            lines.flush()
            if verdict.fate == "survived":
                print(
                    f"  {verdict.mutant.id} [{verdict.tests}]  {verdict.mutant.description}",
                    flush=True,
                )
    print(f"{module}: {len(remaining)} mutants in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _verdict_row(verdict: Verdict) -> dict[str, object]:
    mutant = verdict.mutant
    details = {"line": mutant.line, "function": mutant.function, "told": mutant.description}
    return {"id": mutant.id, **details, "fate": verdict.fate, "tests": verdict.tests}


def _modules_without_import_of(module: str) -> list[str]:
    """Return our modules that do not import this one, directly or indirectly."""
    imports: dict[str, set[str]] = {}
    for package in PACKAGES:
        for file in Path(package).rglob("*.py"):
            name = _module_name(file)
            # a package is imported before its modules
            imports[name] = {*_imports(file), name.rpartition(".")[0]}
    importing = {module.removesuffix(".py").replace("/", ".")}
    while importers := {name for name in imports if imports[name] & importing} - importing:
        importing |= importers
    return sorted(name for name in imports if name not in importing and "cli" not in name)


def _module_name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "find_modules":
            folder = Path(ast.literal_eval(node.args[0]).replace(".", "/"))
            yield from map(_module_name, folder.rglob("*.py"))


if __name__ == "__main__":
    request = json.loads(sys.stdin.read())
    sys.exit(
        not _judge_group(
            request["modules"], ServerUrls(**request["urls"]), RunOptions(**request["options"])
        )
    )
