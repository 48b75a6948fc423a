"""Settling up takes the fewest payments there can be, and brings everybody to exactly zero."""

from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.settlement import Transfer, transfers
from tests.spec import ADA, BO, CILLA, DISA, EMIL

examples = settings(max_examples=150, deadline=None, derandomize=True, database=None)
small = st.lists(st.integers(-6, 6), max_size=5)
large = st.lists(st.integers(-(10**15), 10**15), max_size=9)


def balances(amounts):
    """These amounts, and one more player who makes them add up to zero."""
    return {f"p{n}": amount for n, amount in enumerate((*amounts, -sum(amounts)), start=1)}


def paid(before, plan):
    after = dict(before)
    for transfer in plan:
        after[transfer.payer] += transfer.amount
        after[transfer.payee] -= transfer.amount
    return after


def fewest(amounts):
    """Every way to split people into groups that add up to zero, tried out; no cleverness."""
    amounts = tuple(amount for amount in amounts if amount)

    @cache
    def groups(left):
        if not left:
            return 0
        first, rest = left[0], left[1:]
        found = []
        for size in range(1, len(rest) + 1):
            for others in combinations(range(len(rest)), size):
                if first + sum(rest[i] for i in others) == 0:
                    remaining = tuple(a for i, a in enumerate(rest) if i not in others)
                    found.append(1 + groups(remaining))
        return max(found)

    return len(amounts) - groups(amounts)


def fewest_by_paying(amounts):
    """Every way to pay, tried out: whoever is first settles with somebody on the other side."""

    def pay(left):
        left = [amount for amount in left if amount]
        if not left:
            return 0
        first, rest = left[0], left[1:]
        return 1 + min(
            pay([*rest[:i], other + first, *rest[i + 1 :]])
            for i, other in enumerate(rest)
            if (other < 0) != (first < 0)
        )

    return pay(amounts)


def greedy(before):
    """The biggest debt pays the biggest claim, again and again."""
    left, count = dict(before), 0
    while any(left.values()):
        payer, payee = min(left, key=left.get), max(left, key=left.get)
        amount = min(-left[payer], left[payee])
        left[payer] += amount
        left[payee] -= amount
        count += 1
    return count


@examples
@given(small)
def test_no_plan_has_fewer_transfers(amounts):
    before = balances(amounts)
    plan = transfers(before)
    assert len(plan) == fewest(before.values()) == fewest_by_paying(list(before.values()))


@examples
@given(large)
@example([])
@example([0, 0, 0])
@example([1, -1])
def test_everybody_comes_to_exactly_zero(amounts):
    before = balances(amounts)
    plan = transfers(before)
    assert set(paid(before, plan).values()) == {0}
    for transfer in plan:
        assert transfer.amount > 0
        assert before[transfer.payer] < 0 < before[transfer.payee], "who owes pays who is owed"
    pairs = [(transfer.payer, transfer.payee) for transfer in plan]
    assert len(set(pairs)) == len(pairs)


@examples
@given(large)
def test_the_same_balances_give_the_same_plan(amounts):
    before = balances(amounts)
    assert transfers(before) == transfers(dict(before))


def test_the_greedy_way_needs_one_payment_more():
    """Cilla owes just what Emil is owed; whoever pays the biggest first does not see it."""
    before = {ADA: -5, BO: -4, CILLA: -3, DISA: 7, EMIL: 3, "p6": 2}
    plan = transfers(before)
    assert greedy(before) == 5
    assert len(plan) == fewest(before.values()) == 4
    assert Transfer(payer=CILLA, payee=EMIL, amount=3) in plan


def test_two_groups_hidden_among_six_need_four_payments():
    before = {ADA: -1, BO: -4, CILLA: 5, DISA: -2, EMIL: -6, "p6": 8}
    plan = transfers(before)
    assert len(plan) == 4
    assert {t.payee for t in plan if t.payer in (ADA, BO)} == {CILLA}
    assert {t.payee for t in plan if t.payer in (DISA, EMIL)} == {"p6"}


def test_nobody_pays_when_all_are_even():
    assert transfers({}) == transfers({ADA: 0, BO: 0}) == ()


def test_balances_that_do_not_add_up_are_an_error_of_the_book():
    with pytest.raises(AssertionError):
        transfers({ADA: 1, BO: 0})


def test_sixteen_people_are_settled_exactly():
    """Five groups, four of three and one of four, that nobody has marked."""
    die, before = Random(16), {}
    for size in (3, 3, 3, 3, 4):
        group = [die.randint(1, 10**6) for _ in range(size - 1)]
        for amount in (*group, -sum(group)):
            before[f"p{len(before) + 1}"] = amount
    plan = transfers(before)
    assert set(paid(before, plan).values()) == {0}
    assert len(plan) == 16 - 5
