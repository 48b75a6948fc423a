"""A minute of fuzzing: every operation, every check, links; and that it would find something.

`make fuzz` is the same for 100,000 requests, over HTTP as well.
"""

from __future__ import annotations

from typing import Any

import pytest
from schemathesis.checks import CHECKS

from tests.conftest import copied
from tests.fuzz.contract import operations
from tests.fuzz.counted import Counted
from tests.fuzz.house import house
from tests.fuzz.run import fuzz, in_process

SECONDS = 45.0


@pytest.fixture(scope="module")
def fuzzed(cluster: Any) -> Counted:
    with house(copied(cluster, "vola_fuzzed")) as app:
        return fuzz(
            *(in_process(app), app), seed=1, requests=2500, seconds=SECONDS, examples=2, evenings=3
        )


def test_nothing_is_found(fuzzed: Counted) -> None:
    assert fuzzed.good, fuzzed.table()


def test_every_check_looks_at_every_answer(fuzzed: Counted) -> None:
    assert set(fuzzed.checks) == set(CHECKS.get_all_names())
    assert len(set(fuzzed.checks.values())) == 1
    assert fuzzed.total >= 1500, "too slow a machine, or something waits"


def test_every_operation_is_asked(fuzzed: Counted) -> None:
    asked = {name for name, _ in fuzzed.requests}
    assert asked == set(operations())
