"""Each check finds its own violations, and nothing in a run that went well."""

from random import Random

import pytest

from tests.verification.chaos.checks import COLUMNS, check_history
from tests.verification.chaos.corruptible_run import Run, make_good_run
from tests.verification.chaos.stored_ledger import Event


@pytest.fixture
def run() -> Run:
    return make_good_run()


def test_a_run_that_went_well_has_no_finding(run: Run) -> None:
    assert run.columns == set()


def test_an_acknowledged_version_that_is_gone_is_lost(run: Run) -> None:
    last = run.evening.events.pop()
    run.evening.head = last.version - 1, run.evening.events[-1].hash
    assert run.columns == {"lost"}


def test_an_acknowledged_hash_that_differs_is_lost(run: Run) -> None:
    run.evening.events[1] = Event(2, "deal_opened", "host.0", {}, "f" * 64)
    assert run.columns == {"lost"}


def test_one_event_for_two_keys_is_doubled(run: Run) -> None:
    earlier = run.history[1]
    run.record(
        operation="deal",
        key="other",
        version=earlier.version,
        hash=earlier.hash,
        events=earlier.events,
    )
    assert "doubled" in run.columns


def test_two_answers_for_one_key_are_doubled(run: Run) -> None:
    earlier = run.history[1]
    run.record(
        operation="deal", key=earlier.key, version=earlier.version, hash=earlier.hash, body="else"
    )
    assert "doubled" in run.columns


def test_a_stored_reply_that_differs_from_the_answer_is_doubled(run: Run) -> None:
    version, count = run.evening.replies[run.history[1].key]
    run.evening.replies[run.history[1].key] = version, count - 1
    assert run.columns == {"doubled"}


def test_a_payment_settled_twice_is_doubled(run: Run) -> None:
    run.settle("3-p1-p2")
    assert run.columns == {"doubled"}


def test_a_transfer_booked_twice_is_doubled(run: Run) -> None:
    run.write("transfer", "transfer_recorded", payer="p1", payee="p2", amount=7)
    assert run.columns == {"doubled"}


def test_an_event_in_no_answer_is_extra(run: Run) -> None:
    run.write("deal", "deal_opened", in_reply=False)
    assert run.columns == {"extra"}


def test_an_event_of_an_unanswered_request_is_not_extra(run: Run) -> None:
    run.write("deal", "deal_opened", in_reply=False)
    run.history[-1] = run.record(operation="deal", key=run.history.pop().key, outcome="unknown")
    assert run.columns == set()


def test_a_refusal_that_has_an_answer_is_extra(run: Run) -> None:
    run.evening.replies["refused"] = 7, 0
    assert run.columns == {"extra"}


def test_an_evening_that_nobody_opened_is_extra(run: Run) -> None:
    run.book["other"] = run.evening
    assert run.columns == {"extra"}


def test_a_settlement_that_was_never_due_is_extra(run: Run) -> None:
    run.settle("9-p1-p2")
    del run.evening.payments["9-p1-p2"]
    assert run.columns == {"extra", "unsettled"}


def test_an_older_state_read_after_a_newer_answer_is_out_of_order(run: Run) -> None:
    run.read(5)
    assert run.columns == {"order"}


def test_a_read_cannot_see_a_write_that_has_not_begun(run: Run) -> None:
    started_at = run.history[1].started_at
    run.history.append(
        run.record(
            operation="read", key="", version=5, started_at=started_at - 4, ended=started_at - 2
        )
    )
    assert run.columns == {"order"}


def test_requests_that_overlap_are_in_no_order(run: Run) -> None:
    run.record(
        operation="read", key="", version=5, started_at=run.history[2].started_at, ended=10_000
    )
    assert run.columns == set()


def test_order_agrees_with_a_comparison_of_all_pairs() -> None:
    """On random histories, the fast pass agrees with the definition."""
    die = Random(7)
    for _ in range(300):
        run_ = Run()
        for _ in range(6):
            run_.write("deal", "deal_opened")
        run_.history.clear()
        for version in die.choices(range(1, 8), k=7):
            started_at = die.randint(0, 30)
            key = f"key-{len(run_.history)}" * die.randint(0, 1)
            ended = started_at + die.randint(0, 12)
            run_.record(
                operation="any", key=key, version=version, started_at=started_at, ended=ended
            )
        expected = any(
            first.ended < second.started_at
            and first.version >= second.version
            and (first.version > second.version or (second.key and not first.key))
            for first in run_.history
            for second in run_.history
        )
        assert bool(check_history(run_.history, run_.book)["order"]) == expected


def test_a_hole_is_not_contiguous(run: Run) -> None:
    del run.evening.events[2]
    assert "contiguity" in run.columns


def test_a_head_behind_its_events_is_not_contiguous(run: Run) -> None:
    run.evening.head = 6, run.evening.events[5].hash
    assert run.columns == {"contiguity"}


def test_a_payment_that_stays_due_is_unsettled(run: Run) -> None:
    run.evening.payments["8-p1-p2"] = "due"
    assert run.columns == {"unsettled"}


def test_every_column_has_a_run_that_fills_it() -> None:
    assert set(COLUMNS) == {
        "lost",
        "doubled",
        "extra",
        "order",
        "contiguity",
        "unsettled",
        "halved",
        "unbalanced",
    }
