"""The smoke size of the browser tests is a quarter of them, and every case has its turn."""

from types import SimpleNamespace
from typing import Any

from tests.support.browser.smoke_size import select_tests

TESTS: list[Any] = [
    SimpleNamespace(nodeid=f"tests/browser/test_{file}.py::test_{name}{case}")
    for file in ("deals", "money")
    for name in ("opens", "closes", "goes_on", "ends")
    for case in ("[spader]", "[polskpas]")
]


def test_one_case_of_a_quarter_of_the_functions_runs():
    chosen = [test.nodeid.partition("[")[0] for test in select_tests(TESTS, "a commit")]
    assert len(chosen) == len(set(chosen)) == 2


def test_the_same_seed_chooses_the_same_tests_in_their_order():
    first, again = (select_tests(TESTS, "a commit") for _ in range(2))
    assert first == again == [test for test in TESTS if test in first]


def test_every_case_runs_sooner_or_later():
    chosen = [select_tests(TESTS, f"commit {number}") for number in range(80)]
    assert all(any(test in tests for tests in chosen) for test in TESTS)
