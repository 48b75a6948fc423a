"""The checks find a carry-forward that only one of two evenings has."""

import pytest

from tests.verification.chaos.corruptible_run import SESSION, Run, make_good_run
from tests.verification.chaos.stored_ledger import Event, StoredSession

NEXT = "next"


@pytest.fixture
def carried_run() -> Run:
    """A run whose evening is carried forward to another one."""
    run = make_good_run()
    run.write("close", "evening_closed")
    carry_forward = run.write("open_group_session", "carried_forward", in_reply=False, to=NEXT)
    run.history.pop()
    run.evening.replies.popitem()
    run.book[NEXT] = StoredSession(
        events=[
            Event(1, "session_opened", "scorer.0", {}, "1" * 64),
            Event(
                2,
                "brought_forward",
                "scorer.0",
                {"session": SESSION, "version": carry_forward.version},
                "2",
            ),
        ],
        head=(2, "2"),
    )
    run.record(operation="open_group_session", key="gathered", session=NEXT, version=2)
    return run


def test_an_evening_carried_forward_has_no_finding(carried_run: Run) -> None:
    assert carried_run.columns == set()


def test_a_carry_forward_that_never_arrived_is_halved(carried_run: Run) -> None:
    carried_run.book[NEXT].events.pop()
    carried_run.book[NEXT].head = 1, "1" * 64
    assert "halved" in carried_run.columns


def test_an_arrival_that_was_never_carried_forward_is_halved(carried_run: Run) -> None:
    last = carried_run.evening.events.pop()
    carried_run.evening.head = last.version - 1, carried_run.evening.events[-1].hash
    assert carried_run.columns == {"halved"}


def test_a_carry_forward_that_happens_twice_is_halved(carried_run: Run) -> None:
    carried_run.write("open_group_session", "carried_forward", to=NEXT)
    assert carried_run.columns == {"halved"}
