"""The checkers themselves: each finds what it is for, and nothing in a run that went well."""

from dataclasses import dataclass, field
from itertools import count
from random import Random

import pytest

from tests.verification.chaos.checks import COLUMNS, check
from tests.verification.chaos.request_history import Asked, Stored
from tests.verification.chaos.stored_ledger import Evening, Event

S, NEXT = "session", "next"


@dataclass
class Run:
    """A table of two phones that went well, to be spoiled."""

    history: list[Asked] = field(default_factory=list)
    book: dict[str, Evening] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = count(10, 10)
        self.book[S] = Evening()
        self.write("create", "session_opened", told=False)

    @property
    def evening(self) -> Evening:
        return self.book[S]

    def write(self, what: str, *kinds: str, told: bool = True, **data: object) -> Asked:
        """Somebody asks, and it is done."""
        first = len(self.evening.events) + 1
        for version, kind in enumerate(kinds, start=first):
            seal = f"{version:064x}"
            self.evening.events.append(Event(version, kind, "host.0", dict(data), seal))
        last = self.evening.events[-1]
        self.evening.head = last.version, last.hash
        key = f"key-{len(self.history)}"
        self.evening.replies[key] = last.version, f"body {key}"
        stored = self.evening.events[first - 1 :] if told else []
        return self.saw(
            what=what,
            key=key,
            version=last.version,
            hash=last.hash,
            body=f"body {key}" if told else "",
            events=tuple(Stored(version=e.version, type=e.type, hash=e.hash) for e in stored),
        )

    def read(self, version: int) -> Asked:
        return self.saw(what="read", key="", version=version)

    def saw(self, **seen: object) -> Asked:
        begun = next(self.clock)
        asked = Asked(
            **{
                "phone": 1,
                "number": len(self.history),
                "session": S,
                "begun": begun,
                "ended": begun + 5,
                "tries": 1,
                "outcome": "done",
                **seen,
            }  # type: ignore[arg-type]
        )
        self.history.append(asked)
        return asked

    def settle(self, payment: str) -> None:
        version = len(self.evening.events) + 1
        self.evening.events.append(
            Event(version, "payment_settled", "worker", {"payment": payment}, f"{version:064x}")
        )
        self.evening.head = version, f"{version:064x}"
        self.evening.payments[payment] = "settled"

    @property
    def found(self) -> set[str]:
        return {column for column, found in check(self.history, self.book).items() if found}


@pytest.fixture
def run() -> Run:
    made = Run()
    made.write("deal", "deal_opened", "declared", "la_vola_won", "deal_closed")
    made.evening.payments["3-p1-p2"] = "due"
    made.settle("3-p1-p2")
    made.read(6)
    made.write("transfer", "transfer_recorded", payer="p1", payee="p2", amount=7)
    made.saw(what="undo", key="refused", outcome="refused", status=409)
    made.read(7)
    made.read(7)
    return made


def test_a_run_that_went_well_has_no_finding(run: Run) -> None:
    assert run.found == set()


def test_an_acknowledged_version_that_is_gone_is_lost(run: Run) -> None:
    last = run.evening.events.pop()
    run.evening.head = last.version - 1, run.evening.events[-1].hash
    assert run.found == {"lost"}


def test_an_acknowledged_seal_that_is_another_is_lost(run: Run) -> None:
    run.evening.events[1] = Event(2, "deal_opened", "host.0", {}, "f" * 64)
    assert run.found == {"lost"}


def test_one_event_for_two_keys_is_doubled(run: Run) -> None:
    again = run.history[1]
    run.saw(what="deal", key="other", version=again.version, hash=again.hash, events=again.events)
    assert "doubled" in run.found


def test_two_answers_for_one_key_are_doubled(run: Run) -> None:
    again = run.history[1]
    run.saw(what="deal", key=again.key, version=again.version, hash=again.hash, body="else")
    assert "doubled" in run.found


def test_a_payment_settled_twice_is_doubled(run: Run) -> None:
    run.settle("3-p1-p2")
    assert run.found == {"doubled"}


def test_a_transfer_booked_twice_is_doubled(run: Run) -> None:
    run.write("transfer", "transfer_recorded", payer="p1", payee="p2", amount=7)
    assert run.found == {"doubled"}


def test_an_event_that_nobody_was_told_of_is_extra(run: Run) -> None:
    run.write("deal", "deal_opened", told=False)
    assert run.found == {"extra"}


def test_what_may_have_happened_is_not_extra(run: Run) -> None:
    run.write("deal", "deal_opened", told=False)
    run.history[-1] = run.saw(what="deal", key=run.history.pop().key, outcome="unknown")
    assert run.found == set()


def test_a_refusal_that_has_an_answer_is_extra(run: Run) -> None:
    run.evening.replies["refused"] = 7, "body"
    assert run.found == {"extra"}


def test_an_evening_that_nobody_opened_is_extra(run: Run) -> None:
    run.book["other"] = run.evening
    assert run.found == {"extra"}


def test_a_settlement_that_was_never_due_is_extra(run: Run) -> None:
    run.settle("9-p1-p2")
    del run.evening.payments["9-p1-p2"]
    assert run.found == {"extra", "unsettled"}


def test_an_older_state_read_after_a_newer_answer_is_out_of_order(run: Run) -> None:
    run.read(5)
    assert run.found == {"order"}


def test_a_read_cannot_see_a_write_that_has_not_begun(run: Run) -> None:
    begun = run.history[1].begun
    run.history.append(run.saw(what="read", key="", version=5, begun=begun - 4, ended=begun - 2))
    assert run.found == {"order"}


def test_requests_that_overlap_are_in_no_order(run: Run) -> None:
    run.saw(what="read", key="", version=5, begun=run.history[2].begun, ended=10_000)
    assert run.found == set()


def test_order_is_what_comparing_every_two_says() -> None:
    """The fast pass against the definition, on random histories."""
    die = Random(7)
    for _ in range(300):
        made = Run()
        for _ in range(6):
            made.write("deal", "deal_opened")
        made.history.clear()
        for version in die.choices(range(1, 8), k=7):
            begun = die.randint(0, 30)
            key = f"key-{len(made.history)}" * die.randint(0, 1)
            ended = begun + die.randint(0, 12)
            made.saw(what="any", key=key, version=version, begun=begun, ended=ended)
        plain = any(
            one.ended < other.begun
            and one.version >= other.version
            and (one.version > other.version or (other.key and not one.key))
            for one in made.history
            for other in made.history
        )
        assert bool(check(made.history, made.book)["order"]) == bool(plain)


def test_a_hole_is_not_contiguous(run: Run) -> None:
    del run.evening.events[2]
    assert "contiguity" in run.found


def test_a_head_behind_its_events_is_not_contiguous(run: Run) -> None:
    run.evening.head = 6, run.evening.events[5].hash
    assert run.found == {"contiguity"}


def test_what_stays_due_is_unsettled(run: Run) -> None:
    run.evening.payments["8-p1-p2"] = "due"
    assert run.found == {"unsettled"}


@pytest.fixture
def carried(run: Run) -> Run:
    """The same evening, gone on with in another one."""
    run.write("close", "evening_closed")
    went = run.write("gather", "carried_forward", told=False, to=NEXT)
    run.history.pop()
    run.evening.replies.popitem()
    run.book[NEXT] = Evening(
        events=[
            Event(1, "session_opened", "scorer.0", {}, "1" * 64),
            Event(2, "brought_forward", "scorer.0", {"session": S, "version": went.version}, "2"),
        ],
        head=(2, "2"),
    )
    run.saw(what="gather", key="gathered", session=NEXT, version=2)
    return run


def test_an_evening_that_went_on_elsewhere_has_no_finding(carried: Run) -> None:
    assert carried.found == set()


def test_what_was_carried_and_never_came_is_halved(carried: Run) -> None:
    carried.book[NEXT].events.pop()
    carried.book[NEXT].head = 1, "1" * 64
    assert "halved" in carried.found


def test_what_came_and_was_never_carried_is_halved(carried: Run) -> None:
    last = carried.evening.events.pop()
    carried.evening.head = last.version - 1, carried.evening.events[-1].hash
    assert carried.found == {"halved"}


def test_what_was_carried_twice_is_halved(carried: Run) -> None:
    carried.write("gather", "carried_forward", to=NEXT)
    assert carried.found == {"halved"}


def test_every_column_has_a_run_that_fills_it() -> None:
    assert set(COLUMNS) == {
        "lost",
        "doubled",
        "extra",
        "order",
        "contiguity",
        "unsettled",
        "halved",
    }
