"""Which test runs which line, and how long each test takes, measured in one run of all tests."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest


@dataclass(frozen=True)
class LineCoverage:
    """The coverage of one module. `tests`: by line. `imported`: lines that run at import.
    `seconds`: CPU time, because other processes may use the machine. `failed`: the reports of tests
    that fail on sound code, such as those with a server of their own; no mutant runs them."""

    tests: dict[int, list[str]]
    imported: set[int]
    seconds: dict[str, float]
    failed: dict[str, str]

    def of(self, lines: Iterable[int]) -> list[str]:
        """Return the tests that run one of these lines, the fastest first."""
        tests = {test for line in lines for test in self.tests.get(line, ())}
        return sorted(tests, key=lambda test: (self.seconds[test], test))

    def all_tests(self) -> list[str]:
        return self.of(self.tests)


class CoverageRecorder:
    """A pytest plugin that records which test runs which lines."""

    def __init__(self, modules: list[str], report: Path) -> None:
        self.modules = {module: str(Path(module).resolve()) for module in modules}
        self.report = report
        self.seconds: dict[str, float] = {}
        self.failed: dict[str, str] = {}
        files = list(self.modules.values())
        self.coverage = coverage.Coverage(data_file=None, include=files, config_file=False)
        self.coverage.start()

    def pytest_collection_finish(self) -> None:
        """Import the modules now, so that their import is not counted as part of a test."""
        for module in self.modules:
            importlib.import_module(module.removesuffix(".py").replace("/", "."))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - began
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = report.longreprtext

    def pytest_unconfigure(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {module: data.contexts_by_lineno(file) for module, file in self.modules.items()}
        document = {"lines": lines, "seconds": self.seconds, "failed": self.failed}
        self.report.write_text(json.dumps(document), "utf-8")


def read(report: Path) -> dict[str, LineCoverage]:
    """Return the coverage by module."""
    document = json.loads(report.read_text("utf-8"))
    coverage_by_module = {}
    for module, by_line in document["lines"].items():
        lines = {int(line): tests for line, tests in by_line.items()}
        coverage_by_module[module] = LineCoverage(
            tests={
                line: [test for test in tests if test and test not in document["failed"]]
                for line, tests in lines.items()
            },
            imported={line for line, tests in lines.items() if "" in tests},
            seconds=document["seconds"],
            failed=document["failed"],
        )
    return coverage_by_module
