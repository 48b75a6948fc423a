"""Run the tests on each mutant, in a process of its own. It is forked after the tests have been
collected, so that a mutant costs no more than the tests that run its line."""

from __future__ import annotations

import ast
import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import pytest

from tests.verification.mutation.forked_process import (
    KILLED,
    NOT_PATCHABLE,
    SURVIVED,
    Fate,
    fork,
    limit_all_tests,
    limit_one_test,
    silence_output,
    wait_for,
)
from tests.verification.mutation.line_coverage import CoverageRecorder, LineCoverage, read
from tests.verification.mutation.live_patching import LoadedModule, NotPatchable, import_from
from tests.verification.mutation.mutants import Mutant
from tests.verification.mutation.shared_servers import Servers, ServerUrls

PYTEST_OPTIONS = (
    *("-q", "-q", "--tb=short", "--no-header", "-p", "no:cacheprovider"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported before the fork
)


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    fate: Fate
    tests: int


def measure_coverage(
    modules: list[str], tests: Iterable[str], urls: ServerUrls, report: Path
) -> dict[str, LineCoverage]:
    """Return which test runs which line of sound code. Raise AssertionError if many tests fail."""
    log = report.with_suffix(".log")

    def run() -> int:
        silence_output(log)
        recorder = CoverageRecorder(modules, report)
        servers = Servers(urls)
        code = pytest.main([*PYTEST_OPTIONS, *tests], plugins=[servers, recorder])
        servers.drop_databases()
        return int(code)

    wait_for(fork(run))
    assert report.exists(), log.read_text("utf-8")
    coverage = read(report)
    for module_coverage in coverage.values():
        assert module_coverage.seconds, log.read_text("utf-8")
        assert 4 * len(module_coverage.failed) < len(module_coverage.seconds), (
            module_coverage.failed
        )
    return coverage


def judge_mutants(
    module: str,
    mutants: Iterable[Mutant],
    tests: Iterable[str],
    coverage: LineCoverage,
    urls: ServerUrls,
    seconds: float,
) -> Iterator[Verdict]:
    """Yield the verdict on every mutant, those of the running program first. Each gets only the
    tests that fit into `seconds`; more of them might have killed a mutant that survives."""
    mutants = list(mutants)
    by_number = {mutant.number: mutant for mutant in mutants}
    mutant_tests = MutantTests(module, mutants, coverage, Servers(urls), seconds)
    reader, mutant_tests.verdict_pipe = os.pipe()

    def run() -> int:
        silence_output()
        os.close(reader)
        return int(
            pytest.main([*PYTEST_OPTIONS, *tests], plugins=[mutant_tests.servers, mutant_tests])
        )

    pid = fork(run)
    os.close(mutant_tests.verdict_pipe)
    judged_numbers = set()
    with os.fdopen(reader) as lines:
        for line in lines:
            number, fate, tests_run = json.loads(line)
            assert number is not None, f"{module}: nothing is wrong, and yet {fate} fails"
            judged_numbers.add(number)
            yield Verdict(by_number[number], fate, tests_run)
    assert wait_for(pid) == "survived", f"{module}: tests fail although nothing is wrong"
    remaining = [mutant for mutant in mutants if mutant.number not in judged_numbers]
    if remaining:
        unchanged = replace(remaining[0], source=Path(module).read_text("utf-8"))
        fate = _run_on_import(
            unchanged, mutant_tests.within_seconds(coverage.all_tests()), coverage, urls
        )
        assert fate == "survived", f"{module}: tests fail although nothing is wrong"
    for mutant in remaining:
        tests_run = mutant_tests.tests_for(mutant)
        fate = _run_on_import(mutant, tests_run, coverage, urls) if tests_run else "survived"
        yield Verdict(mutant, fate, len(tests_run))


class MutantTests:
    """A pytest plugin that runs the tests of each mutant instead of all tests."""

    def __init__(
        self,
        module: str,
        mutants: list[Mutant],
        coverage: LineCoverage,
        servers: Servers,
        seconds: float,
    ) -> None:
        self.module, self.path = module, Path(module).resolve()
        self.mutants, self.coverage = mutants, coverage
        self.servers, self.seconds = servers, seconds
        self.tree = ast.parse(self.path.read_text("utf-8"))
        self.verdict_pipe = -1  # a file descriptor

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        importlib.import_module(_module_name(self.module))  # if no test has done so
        self.loaded_module = LoadedModule(_module_name(self.module), self.path)
        all_items = [items[test] for test in self.within_seconds(self.coverage.all_tests())]
        if wait_for(fork(self._test_run(None, all_items))) != "survived":
            os._exit(KILLED)  # tests fail although nothing is wrong
        for mutant in self.mutants:
            if mutant.function and self.coverage.imported & set(mutant.lines):
                continue
            tests, fate = self.tests_for(mutant), "survived"
            if tests:
                fate = wait_for(fork(self._test_run(mutant, [items[test] for test in tests])))
            if fate == "not_patchable" or (fate == "survived" and not mutant.function):
                continue  # a constant may have been used at import
            line = json.dumps([mutant.number, fate, len(tests)]) + "\n"
            os.write(self.verdict_pipe, line.encode())
        os._exit(0)

    def tests_for(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the line; for a constant or a field, those that run a function
        which reads it, or else all. The fastest come first."""
        if mutant.function:
            candidates = self.coverage.of(mutant.lines)
        else:
            candidates = (
                self.coverage.of(self._lines_reading(mutant.names)) or self.coverage.all_tests()
            )
        return self.within_seconds(candidates)

    def within_seconds(self, candidates: list[str]) -> list[str]:
        """Return as many of these tests as fit into `self.seconds`."""
        total_seconds = accumulate(self.coverage.seconds[test] for test in candidates)
        return [
            test
            for test, spent in zip(candidates, total_seconds, strict=True)
            if spent < self.seconds
        ]

    def _lines_reading(self, names: tuple[str, ...]) -> Iterator[int]:
        """Yield the lines of the functions that read one of these names."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and any(
                (isinstance(inner, ast.Name) and inner.id in names)
                or (isinstance(inner, ast.Attribute) and inner.attr in names)
                for inner in ast.walk(node)
            ):
                yield from range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)

    def _test_run(self, mutant: Mutant | None, items: list[pytest.Item]) -> Callable[[], int]:
        def run() -> int:
            limit_all_tests(len(items), sum(self.coverage.seconds[item.nodeid] for item in items))
            try:
                if mutant is None:
                    pass
                elif mutant.function:
                    self.loaded_module.patch_functions(mutant.source)
                elif len(mutant.names) == 1:
                    self.loaded_module.patch_constant(mutant.names[0], mutant.source)
                else:
                    return NOT_PATCHABLE
            except NotPatchable:
                return NOT_PATCHABLE
            self.servers.use_own_database_numbers()
            session = items[0].session
            failed: list[str] = []
            session.config.pluginmanager.register(_Failures(failed))
            # shared fixtures are never torn down, because that takes seconds
            for item, following in zip(items, [*items[1:], items[-1]], strict=True):
                limit_one_test(self.coverage.seconds[item.nodeid])
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if failed:
                    break
            self.servers.drop_databases()
            if failed and mutant is None:
                os.write(self.verdict_pipe, (json.dumps([None, failed[0], 0]) + "\n").encode())
            return KILLED if failed else SURVIVED

        return run


class _Failures:
    def __init__(self, failed: list[str]) -> None:
        self.failed = failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def _run_on_import(
    mutant: Mutant, tests: list[str], coverage: LineCoverage, urls: ServerUrls
) -> Fate:
    """Run these tests with the module imported from the mutant's source. Return its fate."""

    def run() -> int:
        silence_output()
        limit_all_tests(len(tests), 5 + sum(coverage.seconds[test] for test in tests))
        import_from(_module_name(mutant.path), Path(mutant.path).resolve(), mutant.source)
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        plugins = [servers := Servers(urls), _SelectedTests(tests, servers)]
        code = pytest.main([*PYTEST_OPTIONS, "-x", *files], plugins=plugins)
        servers.drop_databases()
        return SURVIVED if code == pytest.ExitCode.OK else KILLED

    return wait_for(fork(run))


class _SelectedTests:
    """A pytest plugin that runs only these tests, in this order."""

    def __init__(self, tests: list[str], servers: Servers) -> None:
        self.tests, self.servers = tests, servers

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        by_id = {item.nodeid: item for item in items}
        items[:] = [by_id[test] for test in self.tests]
        self.servers.use_own_database_numbers()


def _module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")
