"""Settling up takes the fewest payments there can be, and brings everybody to exactly zero."""

from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.entries import TransferRecorded
from ledger.settlement import Transfer, makes, through, transfers, unpaid
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


def test_of_those_who_could_cancel_each_other_the_first_at_the_table_do():
    """Four owe 1 and Disa is owed 1, so that any of them could pay her: Ada comes first."""
    p6, p7, p8 = "p6", "p7", "p8"
    before = {p7: 9, p8: -9, ADA: -1, BO: -1, CILLA: 3, DISA: 1, EMIL: -1, p6: -1}
    assert transfers(before) == (
        Transfer(payer=p8, payee=p7, amount=9),
        Transfer(payer=ADA, payee=DISA, amount=1),
        Transfer(payer=BO, payee=CILLA, amount=1),
        Transfer(payer=EMIL, payee=CILLA, amount=1),
        Transfer(payer=p6, payee=CILLA, amount=1),
    )


def test_of_groups_that_make_as_short_a_plan_those_of_the_first_at_the_table_are_told():
    """Each of three owes 2: any two of them could pay Bo, and the third Cilla and Disa."""
    p6 = "p6"
    assert transfers({ADA: -2, BO: 4, CILLA: 1, DISA: 1, EMIL: -2, p6: -2}) == (
        Transfer(payer=ADA, payee=BO, amount=2),
        Transfer(payer=EMIL, payee=BO, amount=2),
        Transfer(payer=p6, payee=CILLA, amount=1),
        Transfer(payer=p6, payee=DISA, amount=1),
    )


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


def trees(plan):
    """The people of a plan, put together by who pays whom."""
    groups = [{t.payer, t.payee} for t in plan]
    for _ in plan:
        for one in list(groups):
            touching = [g for g in groups if g & one]
            groups = [g for g in groups if not g & one] + [set().union(*touching)]
    return groups


def most_groups(amounts):
    """How many groups that add up to nothing sixteen people can be split into.

    Another way than the plan's: every such group with the first person left, tried in turn.
    """
    full = (1 << len(amounts)) - 1
    total = [0] * (full + 1)
    for subset in range(1, full + 1):
        low = subset & -subset
        total[subset] = total[subset ^ low] + amounts[low.bit_length() - 1]
    zero = [[] for _ in amounts]
    for subset in range(1, full + 1):
        if total[subset] == 0:
            zero[(subset & -subset).bit_length() - 1].append(subset)

    @cache
    def most(left):
        if not left:
            return 0
        first = (left & -left).bit_length() - 1
        return max(1 + most(left ^ group) for group in zero[first] if group & left == group)

    return most(full)


def sixteen(die, most):
    amounts = [die.choice((-1, 1)) * die.randint(1, most) for _ in range(15)]
    return [*amounts, -sum(amounts)] if sum(amounts) else sixteen(die, most)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("people", [6, 7, 8])
def test_up_to_eight_people_no_way_to_pay_at_all_is_shorter(people, seed):
    die = Random(seed * 10 + people)
    before = balances([die.randint(-9, 9) for _ in range(people - 1)])
    assert len(transfers(before)) == fewest_by_paying(list(before.values()))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [12, 60, 10**6])
def test_sixteen_people_need_as_many_as_they_are_less_the_groups_that_are_even(most, seed):
    """Whoever pays or is paid in one plan hangs together, and a heap that hangs together adds up to
    nothing and has one payment fewer than people, at least. So no plan has fewer payments than
    there are people less the most heaps there can be; this one has no more."""
    amounts = sixteen(Random(1000 * most + seed), most)
    before = {f"p{n}": amount for n, amount in enumerate(amounts, start=1)}
    plan = transfers(before)
    heaps = trees(plan)
    assert all(sum(before[player] for player in heap) == 0 for heap in heaps)
    assert len(plan) == 16 - len(heaps) == 16 - most_groups(tuple(amounts))


def test_when_only_everybody_together_is_even_fifteen_payments_it_is():
    """1, 2, 4 … öre: no two groups owe the same, so none but the whole adds up to nothing."""
    before = balances([-(2**n) for n in range(15)])
    assert len(before) == 16
    assert len(transfers(before)) == 15


@examples
@given(large)
def test_through_the_treasurer_everybody_pays_or_is_paid_once_and_comes_to_zero(amounts):
    before = balances(amounts)
    plan = through(before, "p1")
    assert set(paid(before, plan).values()) == {0}
    assert all("p1" in (line.payer, line.payee) for line in plan)
    others = {player for player, amount in before.items() if amount and player != "p1"}
    assert sorted(({line.payer, line.payee} - {"p1"}).pop() for line in plan) == sorted(others)
    assert len(plan) >= len(transfers(before))


def pay(payer, payee, amount):
    return TransferRecorded(payer=payer, payee=payee, amount=amount, method=None)


@examples
@given(large, st.integers(0, 2**32))
def test_a_plan_goes_on_as_it_is_paid_whatever_line_comes_first(amounts, seed):
    before, die = balances(amounts), Random(seed)
    begun = transfers(before)
    left, now = list(begun), dict(before)
    while left:
        line = left.pop(die.randrange(len(left)))
        now = paid(now, [line])
        assert set(transfers(now, begun)) == set(left), "nobody is told to pay somebody else"
    assert set(now.values()) <= {0}


def test_a_part_that_is_paid_leaves_the_rest_of_the_line():
    begun = transfers({ADA: -50, BO: 30, CILLA: 20})
    assert begun == (
        Transfer(payer=ADA, payee=BO, amount=30),
        Transfer(payer=ADA, payee=CILLA, amount=20),
    )
    assert transfers({ADA: -40, BO: 20, CILLA: 20}, begun) == (
        Transfer(payer=ADA, payee=BO, amount=20),
        Transfer(payer=ADA, payee=CILLA, amount=20),
    )


def test_who_pays_somebody_else_is_not_taken_to_have_paid_the_line():
    """Ada was to pay Bo 30 and pays Cilla 30 instead: 10 too much, so the plan is made anew."""
    begun = transfers({ADA: -50, BO: 30, CILLA: 20})
    assert transfers({ADA: -20, BO: 30, CILLA: -10}, begun) == (
        Transfer(payer=ADA, payee=BO, amount=20),
        Transfer(payer=CILLA, payee=BO, amount=10),
    )


def test_what_was_paid_since_can_be_taken_off_again():
    now = {ADA: -20, BO: 0, CILLA: 20}
    assert unpaid(now, [pay(ADA, BO, 30)]) == {ADA: -50, BO: 30, CILLA: 20}


def test_whoever_is_paid_twice_had_as_much_less():
    now = {ADA: -20, BO: 5, CILLA: 15}
    assert unpaid(now, [pay(ADA, BO, 30), pay(CILLA, BO, 2)]) == {ADA: -50, BO: 37, CILLA: 13}


def test_through_the_treasurer_one_pays_in_before_another_is_paid_and_to_the_last_unit():
    assert through({BO: 1, ADA: -1, DISA: 0, CILLA: 0}, CILLA) == (
        Transfer(payer=ADA, payee=CILLA, amount=1),
        Transfer(payer=CILLA, payee=BO, amount=1),
    )


def test_a_plan_that_is_longer_than_need_be_is_not_gone_on_with():
    """Ada and Bo were told to pay Cilla; since then Bo owes Disa what Disa is owed."""
    begun = (
        Transfer(payer=ADA, payee=CILLA, amount=10),
        Transfer(payer=BO, payee=CILLA, amount=5),
        Transfer(payer=BO, payee=DISA, amount=5),
    )
    assert transfers({ADA: -10, BO: -10, CILLA: 10, DISA: 10}, begun) == (
        Transfer(payer=ADA, payee=CILLA, amount=10),
        Transfer(payer=BO, payee=DISA, amount=10),
    )
    assert transfers({ADA: -10, BO: -10, CILLA: 15, DISA: 5}, begun) == begun


def test_a_transfer_says_whom_it_makes_even():
    stand = {ADA: -50, BO: 30, CILLA: 20, DISA: -5, EMIL: 5}
    for payer, payee, amount, made in (
        (DISA, EMIL, 5, "both"),
        (ADA, BO, 30, "payee"),
        (DISA, CILLA, 5, "payer"),
        (ADA, CILLA, 10, "part"),
    ):
        assert makes(Transfer(payer=payer, payee=payee, amount=amount), stand) == made
