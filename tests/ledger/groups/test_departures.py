"""A departure makes a member's balance zero in every currency; others take over all of it."""

from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from ledger.access.session_metadata import Generations
from ledger.groups.departures import (
    BalanceIsOpen,
    Departure,
    GoesToSelf,
    MemberHasNotLeft,
    MoneyIsOnTable,
    SettledElsewhere,
    decide_departure,
    decide_return,
)
from ledger.groups.group_events import (
    GroupTransferRecorded,
    MemberLeft,
    is_balanced,
)
from ledger.groups.groups import Group, GroupSession, UnknownMember
from ledger.groups.open_balances import fold_open_balances
from ledger.groups.open_session import session_to_carry_forward
from tests.support.ledger import random_group_events as scenes
from tests.support.ledger.carried_sessions import carry_forward
from tests.support.ledger.memory_store import Book
from tests.support.ledger.random_group_events import MEMBERS, record_events

random_groups = settings(max_examples=100, deadline=None, derandomize=True, database=None)
GROUP = Group(
    id=UUID(int=8),
    name="Torsdagar",
    generations=Generations(0, 0, 0),
    members=dict(zip(MEMBERS, ("Ada", "Bo", "Cilla", "Disa"), strict=True)),
    sessions=(),
)


def totals(events):
    """Return the balances of members by currency."""
    return {
        balances.currency: {member: balances.of_member(member) for member in MEMBERS}
        for balances in fold_open_balances((), record_events(*events))
    }


@random_groups
@given(
    seed=st.integers(0, 2**32),
    agreement=st.sampled_from(["settle", "hand_over", "write_off"]),
)
def test_a_departure_closes_every_balance_of_the_member_alone(seed, agreement):
    die = Random(seed)
    events = scenes.random_history(die, die.randint(1, 20), departures=False)
    member, *others = die.sample(MEMBERS, 4)
    bearers = tuple(others[: die.randint(1, 3)] if agreement == "write_off" else others[:1])
    departure = Departure(
        member=member, agreement=agreement, counterparts=() if agreement == "settle" else bearers
    )
    decided = decide_departure(GROUP, (), record_events(*events), departure)
    assert decided[-1] == MemberLeft(member=member)
    assert all(is_balanced(event) for event in decided)
    before, after = totals(events), totals([*events, *decided])
    for currency, balances in after.items():
        assert balances[member] == 0
        assert sum(balances.values()) == 0
        moved = {m: amount - before[currency][m] for m, amount in balances.items() if m != member}
        assert sum(moved.values()) == before[currency][member]
        if agreement == "write_off":
            shares = [moved[bearer] for bearer in bearers]
            assert max(shares) - min(shares) <= 1
            assert all(moved[m] == 0 for m in moved if m not in bearers)
        if agreement == "hand_over":
            assert moved[bearers[0]] == before[currency][member]


def test_the_odd_unit_goes_to_another_member_at_each_write_off():
    """Three members bear 100 three times: each has borne 34 once."""
    events, borne = [], dict.fromkeys(MEMBERS[:3], 0)
    for _ in range(3):
        events.append(GroupTransferRecorded(payer="m1", payee="m4", amount=100, currency="SEK"))
        departure = Departure(member="m4", agreement="write_off", counterparts=MEMBERS[:3])
        write_off, _ = decide_departure(GROUP, (), record_events(*events), departure)
        events.append(write_off)
        for share in write_off.borne_by:
            borne[share.member] += share.amount
    assert set(borne.values()) == {-100}


def test_an_open_balance_without_an_agreement_is_refused():
    with pytest.raises(BalanceIsOpen):
        decide_departure(
            GROUP, (), record_events(scenes.import_two_results(5)), Departure(member="m1")
        )


def test_nobody_bears_a_balance_of_their_own():
    departure = Departure(member="m1", agreement="write_off", counterparts=("m2", "m1"))
    with pytest.raises(GoesToSelf) as refused:
        decide_departure(GROUP, (), record_events(scenes.import_two_results(5)), departure)
    assert refused.value.operands == {"member": "m1"}


def played(book, number=1, members=MEMBERS):
    """Return a session of the group in which p1 is the first of these members, and so on."""
    group_session = GroupSession(
        number=number,
        session_id=UUID(int=number),
        title=None,
        generations=Generations(0, 0, 0),
        members={f"p{place}": member for place, member in enumerate(members, start=1)},
    )
    return group_session, book.session


def lay_bet_of_bo():
    book = Book(4)
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(winner="p3"))
    return book


def test_a_pot_keeps_everybody_and_a_bet_its_owners():
    pot, bet = Book(4), lay_bet_of_bo()
    pot.act(c.OpenDeal(), c.AllPass())
    for book, member in ((pot, "m4"), (bet, "m2")):
        book.close("carry")
        with pytest.raises(MoneyIsOnTable) as refused:
            decide_departure(GROUP, [played(book)], (), Departure(member=member))
        assert refused.value.operands == {"member": member, "number": 1}
    left = decide_departure(GROUP, [played(bet)], (), Departure(member="m4"))
    assert left == (MemberLeft(member="m4"),)


def test_a_bet_that_was_carried_forward_keeps_nobody():
    earlier = lay_bet_of_bo()
    later = carry_forward(earlier)
    later.close("split_equal")
    departure = Departure(member="m2", agreement="hand_over", counterparts=("m1",))
    sessions = [played(earlier, number=1), played(later, number=2)]
    assert decide_departure(GROUP, sessions, (), departure)[-1] == MemberLeft(member="m2")


def test_an_evening_that_was_carried_forward_is_not_carried_again():
    earlier = lay_bet_of_bo()
    later = carry_forward(earlier)
    sessions = {UUID(int=1): played(earlier, number=1), UUID(int=2): played(later, number=2)}
    group = replace(GROUP, sessions=tuple(listed for listed, _ in sessions.values()))
    settled = replace(later.session, balances=dict.fromkeys(later.session.balances, 0), bets=())
    states = {UUID(int=1): earlier.session, UUID(int=2): settled}
    assert session_to_carry_forward(group, states.__getitem__) is None


def test_an_open_evening_keeps_only_those_who_are_in_it():
    sessions = [played(Book(3), members=MEMBERS[:3])]
    left = decide_departure(GROUP, sessions, (), Departure(member="m4"))
    assert left == (MemberLeft(member="m4"),)


def test_what_a_player_who_is_no_member_owes_is_not_settled_at_once():
    book = Book(4)
    book.transfer("p1", "p4", 300)
    book.close()
    departure = Departure(member="m1", agreement="settle")
    with pytest.raises(SettledElsewhere) as refused:
        decide_departure(GROUP, [played(book, members=MEMBERS[:3])], (), departure)
    assert refused.value.operands == {"member": "m1"}


def test_only_a_member_who_has_left_returns():
    with pytest.raises(MemberHasNotLeft) as refused:
        decide_return(GROUP, "m1")
    assert refused.value.operands == {"member": "m1"}
    with pytest.raises(UnknownMember):
        decide_return(GROUP, "m9")
