"""A line may be a payment that is recorded already, as long as one is left that no line shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import pytest

from ledger.access.session_metadata import Generations
from ledger.events.hash_chain import GENESIS_HASH
from ledger.events.recorded_event import RecordedEvent
from ledger.groups.bank_lines.line_matching import (
    BankLine,
    LineProposal,
    OpenTransfer,
    TransferFit,
)
from ledger.groups.bank_lines.recorded_payments import (
    RecordedPayment,
    list_recorded_payments,
    mark_recorded_payments,
)
from ledger.groups.group_event_log import record_group_events
from ledger.groups.group_events import (
    BankLineUsed,
    GroupTransferRecorded,
    MemberLeft,
    RecordedGroupEvent,
)
from ledger.groups.groups import Group, GroupSession
from tests.support.ledger.memory_store import Book
from tests.support.ledger.random_group_events import record_events

FRIDAY = date(2026, 11, 20)
EVENING = UUID(int=1)
GROUP = Group(
    id=UUID(int=9),
    name="Torsdagar",
    generations=Generations(0, 0, 0),
    members={"m1": "Ada", "m2": "Bo"},
    sessions=(
        GroupSession(
            number=1,
            session_id=EVENING,
            title=None,
            generations=Generations(0, 0, 0),
            members={"p1": "m2", "p2": "m1"},
        ),
    ),
)
MORNING = datetime(2026, 11, 20, 6, tzinfo=UTC)
SWISH = RecordedPayment(("m1", "m2", 5000), FRIDAY)
TAKEN_BACK = RecordedPayment(("m2", "m1", 5000), FRIDAY)


def played(
    number: int, members: dict[str, str], *paid: tuple[str, str, int], currency: str = "SEK"
) -> tuple[GroupSession, Book]:
    """Return a session of the group in which these payments were recorded."""
    book = Book(currency=currency)
    for payer, payee, amount in paid:
        book.transfer(payer, payee, amount)
    group_session = msgspec.structs.replace(
        GROUP.sessions[0], number=number, session_id=UUID(int=number), members=members
    )
    return group_session, book


def listed(
    *sessions: tuple[GroupSession, Book], events: Sequence[RecordedGroupEvent] = ()
) -> list[RecordedPayment]:
    """Return the payments in kronor of these sessions and of the group."""
    histories = {
        group_session.session_id: [
            msgspec.structs.replace(recorded, at=int(MORNING.timestamp()) * 1_000_000)
            for recorded in book.history
        ]
        for group_session, book in sessions
    }
    found = [
        (group_session, msgspec.structs.replace(book.session, id=group_session.session_id))
        for group_session, book in sessions
    ]

    def load_events(session_id: UUID, after: int, limit: int) -> list[RecordedEvent]:
        return histories[session_id][after : after + limit]

    return list(list_recorded_payments(found, events, load_events, "SEK"))


def test_payments_of_every_session_in_the_currency_are_listed_by_member() -> None:
    members = {"p1": "m2", "p2": "m1"}
    assert listed(
        played(1, members, ("p1", "p2", 7000), currency="EUR"),
        played(2, members),
        played(3, members, ("p2", "p1", 5000), ("p1", "p2", 200)),
        played(4, {"p3": "m1", "p4": "m2"}, ("p4", "p3", 300)),
    ) == [
        RecordedPayment(("m1", "m2", 5000), FRIDAY),
        RecordedPayment(("m2", "m1", 200), FRIDAY),
        RecordedPayment(("m2", "m1", 300), FRIDAY),
    ]


def test_a_payment_of_a_player_who_is_no_member_is_left_out() -> None:
    payments = ("p1", "p3", 100), ("p3", "p1", 200), ("p3", "p4", 300), ("p1", "p2", 400)
    assert listed(played(1, {"p1": "m1", "p2": "m2"}, *payments)) == [
        RecordedPayment(("m1", "m2", 400), FRIDAY)
    ]


def test_payments_of_the_group_are_listed_in_their_currency() -> None:
    events = record_group_events(
        GROUP.id,
        [
            GroupTransferRecorded(payer="m1", payee="m2", amount=900, currency="EUR"),
            MemberLeft(member="m3"),
            GroupTransferRecorded(payer="m2", payee="m1", amount=800, currency="SEK"),
        ],
        number=0,
        previous_hash=GENESIS_HASH,
        at=int(MORNING.timestamp()) * 1_000_000,
        by="host.0",
    )
    assert listed(events=events) == [RecordedPayment(("m2", "m1", 800), FRIDAY)]


def test_a_payment_after_midnight_in_stockholm_is_of_the_new_day() -> None:
    midnight = datetime(2026, 11, 20, tzinfo=ZoneInfo("Europe/Stockholm"))
    payment = GroupTransferRecorded(payer="m1", payee="m2", amount=5000, currency="SEK")
    events = record_group_events(
        GROUP.id,
        [payment],
        number=0,
        previous_hash=GENESIS_HASH,
        at=int(midnight.timestamp()) * 1_000_000,
        by="host.0",
    )
    assert is_ambiguous(listed(events=events), days=7)


def used_line(session: UUID | None = None, payer: str = "m1", payee: str = "m2") -> BankLineUsed:
    return BankLineUsed(
        line_sha256="0" * 64,
        session=str(session) if session else None,
        payer=payer,
        payee=payee,
        amount=5000,
        currency="SEK",
    )


def is_ambiguous(
    recorded: Sequence[RecordedPayment],
    used: Sequence[BankLineUsed] = (),
    days: int = 0,
    amount: int = 5000,
) -> bool:
    """Return whether Ada's line to Bo, so many days after Friday, may be recorded already."""
    transfer = OpenTransfer(session=None, payer="m1", payee="m2", amount=9000, day=FRIDAY)
    proposal = LineProposal(
        line=BankLine(row=1, day=FRIDAY + timedelta(days), amount=amount, text="Ada"),
        status="proposed",
        fits=(TransferFit(transfer=transfer, reasons=("part", "name")),),
    )
    used_in_file = [(event, line) for event, line in zip(record_events(*used), used, strict=True)]
    (marked,) = mark_recorded_payments(GROUP, [proposal], recorded, used_in_file)
    assert marked.line == proposal.line
    (fit,) = marked.fits
    assert fit.transfer == transfer
    if marked == proposal:
        return False
    assert (marked.status, fit.reasons) == ("ambiguous", ("part", "name", "recorded"))
    return True


@pytest.mark.parametrize("amount", [5000, -5000])
def test_a_line_of_either_account_may_be_the_payment(amount: int) -> None:
    assert is_ambiguous([SWISH], amount=amount)
    assert not is_ambiguous([], amount=amount)


@pytest.mark.parametrize(
    "other",
    [
        TAKEN_BACK,
        RecordedPayment(("m1", "m3", 5000), FRIDAY),
        RecordedPayment(("m3", "m2", 5000), FRIDAY),
        RecordedPayment(("m1", "m2", 5001), FRIDAY),
    ],
)
def test_another_payment_is_not_that_of_the_line(other: RecordedPayment) -> None:
    assert not is_ambiguous([other])


def test_of_two_equal_payments_one_that_is_taken_back_leaves_one() -> None:
    assert is_ambiguous([SWISH, SWISH, TAKEN_BACK])
    assert not is_ambiguous([SWISH, TAKEN_BACK])
    assert not is_ambiguous([SWISH, TAKEN_BACK, SWISH, TAKEN_BACK])


def test_of_two_equal_payments_one_that_the_file_shows_leaves_one() -> None:
    assert is_ambiguous([SWISH, SWISH], used=[used_line()])
    assert not is_ambiguous([SWISH], used=[used_line()])
    assert not is_ambiguous([SWISH, SWISH], used=[used_line(), used_line()])


def test_a_line_used_for_a_session_has_the_members_of_its_players() -> None:
    assert not is_ambiguous([SWISH], used=[used_line(EVENING, "p2", "p1")])
    assert is_ambiguous([SWISH], used=[used_line(EVENING, "p1", "p2")])


@pytest.mark.parametrize(("days", "expected"), [(-30, True), (7, True), (8, False)])
def test_a_payment_is_booked_within_a_week(days: int, expected: bool) -> None:
    assert is_ambiguous([SWISH], days=days) is expected


@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_week_begins_with_the_latest_of_equal_payments(is_reversed: bool) -> None:
    earlier = RecordedPayment(SWISH.payment, FRIDAY - timedelta(5))
    payments = [SWISH, earlier] if is_reversed else [earlier, SWISH]
    assert is_ambiguous(payments, days=7)
    assert not is_ambiguous(payments, days=8)
