"""A short run of the fuzzer uses every operation, every check and links, and finds no fault.

`make fuzz` does the same with 100,000 requests, over HTTP as well. Schemathesis takes seconds to
load, so only the process that runs these tests imports it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.databases import copy_database
from tests.verification.fuzz.app_under_test import app_under_test
from tests.verification.fuzz.fuzz_report import FuzzReport

SECONDS = 10.0
"""A slow machine takes longer: the first round, with every operation and many links, is always
complete."""


@pytest.fixture(scope="module")
def report(cluster: Any) -> FuzzReport:
    from tests.verification.fuzz.run import fuzz, in_process

    with app_under_test(copy_database(cluster, "vola_fuzzed")) as app:
        return fuzz(
            in_process(app), app, seed=1, requests=2500, seconds=SECONDS, examples=2, evenings=3
        )


def test_the_fuzzer_finds_no_fault(report: FuzzReport) -> None:
    assert report.has_no_fault, report.format_table()


def test_every_check_runs_on_every_answer(report: FuzzReport) -> None:
    from schemathesis.checks import CHECKS

    assert set(report.checks) == set(CHECKS.get_all_names())
    assert min(report.checks.values()) > 0.9 * report.checks["not_a_server_error"]
    assert report.total >= 600


def test_links_are_followed(report: FuzzReport) -> None:
    assert len(report.followed_links) >= 10


def test_every_operation_is_requested(report: FuzzReport) -> None:
    from tests.verification.fuzz.contract import read_operations

    requested = {name for name, _ in report.requests}
    assert requested == set(read_operations())
