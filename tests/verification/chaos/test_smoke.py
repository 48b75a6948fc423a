"""A short run with every kind of fault, and a planted bug that a short run must find."""

from pathlib import Path

import pytest

from tests.verification.chaos.faults import FAULTS, WEIGHTS, FaultContext
from tests.verification.chaos.planted_bugs import BUGS
from tests.verification.chaos.run import run, run_with_bug

FAULT_COUNT, ACTIONS = 120, 600
SECONDS = 600.0  # only a machine that has stopped takes this long


def test_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path, capsys) -> None:
    result = run(tmp_path, "smoke", faults=FAULT_COUNT, actions=ACTIONS, seconds=SECONDS)
    with capsys.disabled():
        print("\n" + result.table())
    assert result.good, result.table()
    assert set(result.nemesis.injected) == set(FAULTS)
    assert all(result.nemesis.met_a_request(name) for name in FAULTS)
    assert result.counted["replayed"] > 0
    assert result.counted["absorbed"] > 0
    assert result.counted["settled"] > 100


@pytest.mark.parametrize("name", ["missing_projection_row"])
def test_a_planted_bug_is_found(tmp_path: Path, name: str) -> None:
    """`make chaos-planted` runs all of them."""
    result = run_with_bug(name, tmp_path, "planted", phones=6, seconds=6)
    assert {c for c, findings in result.findings.items() if findings} & set(BUGS[name].columns), (
        result.table()
    )


def test_a_fault_that_cannot_be_injected_fails_the_run(tmp_path: Path, monkeypatch) -> None:
    def broken(_: FaultContext) -> str | None:
        raise ZeroDivisionError

    monkeypatch.setitem(FAULTS, "broken", broken)
    monkeypatch.setitem(WEIGHTS, "broken", 1)
    with pytest.raises(ZeroDivisionError):
        run(tmp_path, "broken", faults=1, phones=2, kinds=("broken",))
