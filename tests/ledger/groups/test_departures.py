"""A departure makes a member's balance zero in every currency; others take over all of it."""

from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.access.session_metadata import Generations
from ledger.groups.departures import (
    BalanceIsOpen,
    Departure,
    GoesToSelf,
    MemberHasNotLeft,
    decide_departure,
    decide_return,
)
from ledger.groups.group_events import (
    GroupTransferRecorded,
    MemberLeft,
    is_balanced,
)
from ledger.groups.groups import Group, UnknownMember
from ledger.groups.open_balances import fold_open_balances
from tests.support.ledger import random_group_events as scenes
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


def test_only_a_member_who_has_left_returns():
    with pytest.raises(MemberHasNotLeft) as refused:
        decide_return(GROUP, "m1")
    assert refused.value.operands == {"member": "m1"}
    with pytest.raises(UnknownMember):
        decide_return(GROUP, "m9")
