"""A shared cost is divided in whole units, and the odd ones rotate (docs/rules.md §10.2)."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.values import MAX_AMOUNT
from ledger.session.cost_division import divide_cost
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA

many_divisions = settings(max_examples=500, deadline=None, derandomize=True, database=None)

amounts = st.integers(1, MAX_AMOUNT)
numbers = st.integers(1, 10_000)
parts_by_player = st.lists(st.integers(0, 99), min_size=1, max_size=16).map(
    lambda parts: {f"p{place}": count for place, count in enumerate(parts, 1)}
)
some_parts = parts_by_player.filter(lambda parts: any(parts.values()))


def divided(amount, parts, number):
    return [share.amount for share in divide_cost(amount, parts, number)]


@pytest.mark.parametrize(
    ("number", "amount", "parts", "expected"),
    [
        (1, 100, {ADA: 1, BO: 1, CILLA: 1}, [34, 33, 33]),
        (2, 100, {ADA: 1, BO: 1, CILLA: 1}, [33, 34, 33]),
        (3, 101, {ADA: 1, BO: 1, CILLA: 1}, [34, 33, 34]),
        (4, 100, {ADA: 2, BO: 1}, [67, 33]),
        (5, 1, {ADA: 1, BO: 1, CILLA: 1}, [0, 1, 0]),
        (1, 43_000, {ADA: 1, BO: 1, CILLA: 1, DISA: 1}, [10_750] * 4),
        (7, 999, {ADA: 0, BO: 3, CILLA: 0}, [999]),
    ],
)
def test_the_examples_of_the_rules(number, amount, parts, expected):
    assert divided(amount, parts, number) == expected


def test_the_first_turn_skips_those_without_parts():
    assert divided(101, {ADA: 1, BO: 0, CILLA: 1}, number=3) == [51, 50]
    assert divided(101, {ADA: 1, BO: 0, CILLA: 1}, number=4) == [50, 51]


@many_divisions
@given(amounts, some_parts, numbers)
def test_the_shares_of_those_with_parts_add_up_to_the_amount(amount, parts, number):
    shares = divide_cost(amount, parts, number)
    assert sum(share.amount for share in shares) == amount
    assert {share.player: share.parts for share in shares} == {p: n for p, n in parts.items() if n}


@many_divisions
@given(amounts, some_parts, numbers)
def test_no_share_is_a_whole_unit_off_what_the_parts_come_to(amount, parts, number):
    for share in divide_cost(amount, parts, number):
        exact = Fraction(amount * share.parts, sum(parts.values()))
        assert abs(share.amount - exact) < 1


@many_divisions
@given(amounts, some_parts, numbers)
def test_units_left_over_go_to_the_largest_remainders(amount, parts, number):
    total = sum(parts.values())
    remainders = {True: [], False: []}
    for share in divide_cost(amount, parts, number):
        quotient, remainder = divmod(amount * share.parts, total)
        remainders[share.amount > quotient].append(remainder)
    if remainders[True] and remainders[False]:
        assert min(remainders[True]) >= max(remainders[False])


@many_divisions
@given(amounts, st.integers(1, 16), numbers)
def test_in_a_round_of_equal_costs_each_bears_as_many_odd_units(amount, count, first):
    """So the rule does not always favour the same players."""
    parts = {f"p{place}": 1 for place in range(1, count + 1)}
    borne = Counter()
    for number in range(first, first + count):
        borne.update({share.player: share.amount for share in divide_cost(amount, parts, number)})
    assert set(borne.values()) == {amount}


def test_a_cost_that_nobody_bears_cannot_be_divided():
    with pytest.raises(ValueError, match="bear"):
        divide_cost(100, {ADA: 0}, 1)
