"""Each check finds its own violations, and nothing in a run that went well."""

from dataclasses import dataclass, field
from itertools import count
from random import Random

import pytest

from tests.verification.chaos.checks import COLUMNS, check_history
from tests.verification.chaos.request_history import ReplyEvent, Request
from tests.verification.chaos.stored_ledger import Event, StoredSession

S, NEXT = "session", "next"


@dataclass
class Run:
    """The history and book of a run that went well, which the tests then corrupt."""

    history: list[Request] = field(default_factory=list)
    book: dict[str, StoredSession] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = count(10, 10)
        self.book[S] = StoredSession()
        self.write("open_session", "session_opened", in_reply=False)

    @property
    def evening(self) -> StoredSession:
        return self.book[S]

    def write(self, operation: str, *kinds: str, in_reply: bool = True, **data: object) -> Request:
        """Add a request that was executed, and its events."""
        first = len(self.evening.events) + 1
        for version, kind in enumerate(kinds, start=first):
            event_hash = f"{version:064x}"
            self.evening.events.append(Event(version, kind, "host.0", dict(data), event_hash))
        last = self.evening.events[-1]
        self.evening.head = last.version, last.hash
        key = f"key-{len(self.history)}"
        self.evening.replies[key] = last.version, len(kinds)
        stored = self.evening.events[first - 1 :] if in_reply else []
        return self.record(
            operation=operation,
            key=key,
            version=last.version,
            hash=last.hash,
            body=f"body {key}" if in_reply else "",
            events=tuple(ReplyEvent(version=e.version, type=e.type, hash=e.hash) for e in stored),
        )

    def read(self, version: int) -> Request:
        return self.record(operation="read", key="", version=version)

    def record(self, **fields: object) -> Request:
        started_at = next(self.clock)
        request = Request(
            **{
                "phone": 1,
                "number": len(self.history),
                "session": S,
                "started_at": started_at,
                "ended": started_at + 5,
                "tries": 1,
                "outcome": "done",
                **fields,
            }  # type: ignore[arg-type]
        )
        self.history.append(request)
        return request

    def settle(self, payment: str) -> None:
        version = len(self.evening.events) + 1
        self.evening.events.append(
            Event(version, "payment_settled", "worker", {"payment": payment}, f"{version:064x}")
        )
        self.evening.head = version, f"{version:064x}"
        self.evening.payments[payment] = "settled"

    @property
    def columns(self) -> set[str]:
        return {
            column
            for column, findings in check_history(self.history, self.book).items()
            if findings
        }


@pytest.fixture
def run() -> Run:
    good_run = Run()
    good_run.write("deal", "deal_opened", "declared", "la_vola_won", "deal_closed")
    good_run.evening.payments["3-p1-p2"] = "due"
    good_run.settle("3-p1-p2")
    good_run.read(6)
    good_run.write("transfer", "transfer_recorded", payer="p1", payee="p2", amount=7)
    good_run.record(operation="undo", key="refused", outcome="refused", status=409)
    good_run.read(7)
    good_run.read(7)
    return good_run


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


@pytest.fixture
def carried_run(run: Run) -> Run:
    """The same evening, carried forward to another one."""
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
                {"session": S, "version": carry_forward.version},
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


def pizza(amount: int, *shares: int, cost: int = 1) -> dict[str, object]:
    divided = [{"player": f"p{n}", "parts": 1, "amount": x} for n, x in enumerate(shares, 1)]
    return {"cost": cost, "payer": "p4", "amount": amount, "shares": divided}


def test_a_cost_that_was_recorded_corrected_and_voided_is_fine() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    run.write("void_cost", "cost_voided", cost=1, recorded_version=2)
    run.write("correct_cost", "cost_recorded", **pizza(102, 51, 51))
    assert run.columns == set()


def test_a_cost_booked_twice_is_doubled() -> None:
    run = Run()
    for cost in (1, 2):
        run.write("cost", "cost_recorded", **pizza(101, 51, 50, cost=cost))
    assert run.columns == {"doubled"}


def test_shares_that_do_not_add_up_are_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 50, 50))
    assert run.columns == {"unbalanced"}


def test_a_cost_that_counts_twice_is_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    run.write("correct_cost", "cost_recorded", **pizza(102, 51, 51))
    assert run.columns == {"unbalanced"}


def test_a_cost_that_is_voided_twice_is_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    for _ in range(2):
        run.write("void_cost", "cost_voided", cost=1, recorded_version=2)
    assert run.columns == {"unbalanced"}


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
