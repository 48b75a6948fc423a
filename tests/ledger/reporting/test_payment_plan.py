"""A payment plan takes the fewest payments and brings every player to exactly zero."""

from functools import cache
from itertools import combinations
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.reporting.payment_plan import (
    Transfer,
    plan_payments,
    plan_through_treasurer,
    plan_transfers,
    settled_parties,
)
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL

examples = settings(max_examples=150, deadline=None, derandomize=True, database=None)
small = st.lists(st.integers(-6, 6), max_size=5)
large = st.lists(st.integers(-(10**15), 10**15), max_size=9)


def balances(amounts):
    """Return these amounts, and one more player who makes them add up to zero."""
    return {f"p{n}": amount for n, amount in enumerate((*amounts, -sum(amounts)), start=1)}


def pay_by_plan(before, plan):
    after = dict(before)
    for transfer in plan:
        after[transfer.payer] += transfer.amount
        after[transfer.payee] -= transfer.amount
    return after


def fewest_by_grouping(amounts):
    """Return the fewest payments, by trying every split into groups that add up to zero."""
    amounts = tuple(amount for amount in amounts if amount)

    @cache
    def groups(unsettled):
        if not unsettled:
            return 0
        first, rest = unsettled[0], unsettled[1:]
        sizes = []
        for size in range(1, len(rest) + 1):
            for partners in combinations(range(len(rest)), size):
                if first + sum(rest[i] for i in partners) == 0:
                    remaining = tuple(a for i, a in enumerate(rest) if i not in partners)
                    sizes.append(1 + groups(remaining))
        return max(sizes)

    return len(amounts) - groups(amounts)


def fewest_by_paying(amounts):
    """Return the fewest payments, by trying every way for the first player to settle."""

    def pay(left):
        left = [amount for amount in left if amount]
        if not left:
            return 0
        first, rest = left[0], left[1:]
        return 1 + min(
            pay([*rest[:i], partner + first, *rest[i + 1 :]])
            for i, partner in enumerate(rest)
            if (partner < 0) != (first < 0)
        )

    return pay(amounts)


def plan_greedily(before):
    """Return the plan in which the largest debt always pays the largest claim."""
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
    plan = plan_payments(before)
    assert (
        len(plan) == fewest_by_grouping(before.values()) == fewest_by_paying(list(before.values()))
    )


@examples
@given(large)
@example([])
@example([0, 0, 0])
@example([1, -1])
def test_every_balance_becomes_exactly_zero(amounts):
    before = balances(amounts)
    plan = plan_payments(before)
    assert set(pay_by_plan(before, plan).values()) == {0}
    for transfer in plan:
        assert transfer.amount > 0
        assert before[transfer.payer] < 0 < before[transfer.payee], "who owes pays who is owed"
    pairs = [(transfer.payer, transfer.payee) for transfer in plan]
    assert len(set(pairs)) == len(pairs)


@examples
@given(large)
def test_the_same_balances_give_the_same_plan(amounts):
    before = balances(amounts)
    assert plan_payments(before) == plan_payments(dict(before))


def test_a_greedy_plan_needs_one_more_payment():
    """Cilla owes just what Emil is owed; a plan that pays the largest first misses that."""
    before = {ADA: -5, BO: -4, CILLA: -3, DISA: 7, EMIL: 3, "p6": 2}
    plan = plan_payments(before)
    assert plan_greedily(before) == 5
    assert len(plan) == fewest_by_grouping(before.values()) == 4
    assert Transfer(payer=CILLA, payee=EMIL, amount=3) in plan


def test_two_groups_hidden_among_six_need_four_payments():
    before = {ADA: -1, BO: -4, CILLA: 5, DISA: -2, EMIL: -6, "p6": 8}
    plan = plan_payments(before)
    assert len(plan) == 4
    assert {t.payee for t in plan if t.payer in (ADA, BO)} == {CILLA}
    assert {t.payee for t in plan if t.payer in (DISA, EMIL)} == {"p6"}


def test_among_equal_pairs_the_first_at_the_table_settle():
    """Four owe 1 and Disa is owed 1, so that any of them could pay her: Ada comes first."""
    p6, p7, p8 = "p6", "p7", "p8"
    before = {p7: 9, p8: -9, ADA: -1, BO: -1, CILLA: 3, DISA: 1, EMIL: -1, p6: -1}
    assert plan_payments(before) == (
        Transfer(payer=p8, payee=p7, amount=9),
        Transfer(payer=ADA, payee=DISA, amount=1),
        Transfer(payer=BO, payee=CILLA, amount=1),
        Transfer(payer=EMIL, payee=CILLA, amount=1),
        Transfer(payer=p6, payee=CILLA, amount=1),
    )


def test_among_equally_short_plans_the_first_at_the_table_settle():
    """Each of three owes 2: any two of them could pay Bo, and the third Cilla and Disa."""
    p6 = "p6"
    assert plan_payments({ADA: -2, BO: 4, CILLA: 1, DISA: 1, EMIL: -2, p6: -2}) == (
        Transfer(payer=ADA, payee=BO, amount=2),
        Transfer(payer=EMIL, payee=BO, amount=2),
        Transfer(payer=p6, payee=CILLA, amount=1),
        Transfer(payer=p6, payee=DISA, amount=1),
    )


def test_nobody_pays_when_all_are_even():
    assert plan_payments({}) == plan_payments({ADA: 0, BO: 0}) == ()


def test_balances_that_do_not_add_up_are_a_programming_error():
    with pytest.raises(AssertionError):
        plan_payments({ADA: 1, BO: 0})


def test_sixteen_people_and_the_pot_are_settled_exactly():
    """Five groups, three of three balances and two of four."""
    die, amounts = Random(16), []
    for size in (3, 3, 3, 4, 4):
        group = [die.randint(1, 10**6) for _ in range(size - 1)]
        amounts += [*group, -sum(group)]
    die.shuffle(amounts)
    before = {f"p{n}": amount for n, amount in enumerate(amounts, start=1)}
    plan = plan_payments(before)
    assert set(pay_by_plan(before, plan).values()) == {0}
    assert len(plan) == 17 - 5


def payment_groups(plan):
    """Return the groups of players that the payments of a plan connect."""
    groups = [{t.payer, t.payee} for t in plan]
    for _ in plan:
        for group in list(groups):
            touching = [g for g in groups if g & group]
            groups = [g for g in groups if not g & group] + [set().union(*touching)]
    return groups


def most_groups(amounts):
    """Return the most groups that add up to zero that sixteen players can be split into.

    Unlike the plan, it tries every such group of the first player left in turn.
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
    def count_groups(unsettled):
        if not unsettled:
            return 0
        first = (unsettled & -unsettled).bit_length() - 1
        return max(
            1 + count_groups(unsettled ^ group)
            for group in zero[first]
            if group & unsettled == group
        )

    return count_groups(full)


def sixteen(die, max_amount):
    amounts = [die.choice((-1, 1)) * die.randint(1, max_amount) for _ in range(15)]
    return [*amounts, -sum(amounts)] if sum(amounts) else sixteen(die, max_amount)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("people", [6, 7, 8])
def test_no_plan_is_shorter_for_up_to_eight_players(people, seed):
    die = Random(seed * 10 + people)
    before = balances([die.randint(-9, 9) for _ in range(people - 1)])
    assert len(plan_payments(before)) == fewest_by_paying(list(before.values()))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_amount", [12, 60, 10**6])
def test_sixteen_players_need_one_payment_fewer_than_players_per_group(max_amount, seed):
    """Players connected by payments form a group that adds up to zero and has at least one payment
    fewer than players. So no plan has fewer payments than the players less the most groups
    possible; this one has no more."""
    amounts = sixteen(Random(1000 * max_amount + seed), max_amount)
    before = {f"p{n}": amount for n, amount in enumerate(amounts, start=1)}
    plan = plan_payments(before)
    groups = payment_groups(plan)
    assert all(sum(before[player] for player in group) == 0 for group in groups)
    assert len(plan) == 16 - len(groups) == 16 - most_groups(tuple(amounts))


def test_sixteen_players_without_an_even_group_need_fifteen_payments():
    """1, 2, 4 … öre: no two groups owe the same, so only all sixteen add up to zero."""
    before = balances([-(2**n) for n in range(15)])
    assert len(before) == 16
    assert len(plan_payments(before)) == 15


@examples
@given(large)
def test_through_a_treasurer_each_player_has_one_payment(amounts):
    before = balances(amounts)
    plan = plan_through_treasurer(before, "p1")
    assert set(pay_by_plan(before, plan).values()) == {0}
    assert all("p1" in (line.payer, line.payee) for line in plan)
    players = {player for player, amount in before.items() if amount and player != "p1"}
    assert sorted(({line.payer, line.payee} - {"p1"}).pop() for line in plan) == sorted(players)
    assert len(plan) >= len(plan_payments(before))


@examples
@given(large, st.integers(0, 2**32))
def test_a_plan_continues_in_any_order_of_payments(amounts, seed):
    before, die = balances(amounts), Random(seed)
    first_plan = plan_payments(before)
    left, now = list(first_plan), dict(before)
    while left:
        line = left.pop(die.randrange(len(left)))
        now = pay_by_plan(now, [line])
        assert set(plan_payments(now, first_plan)) == set(left), (
            "nobody is told to pay somebody else"
        )
    assert set(now.values()) <= {0}


def test_a_partial_payment_leaves_the_rest_due():
    first_plan = plan_payments({ADA: -50, BO: 30, CILLA: 20})
    assert first_plan == (
        Transfer(payer=ADA, payee=BO, amount=30),
        Transfer(payer=ADA, payee=CILLA, amount=20),
    )
    assert plan_payments({ADA: -40, BO: 20, CILLA: 20}, first_plan) == (
        Transfer(payer=ADA, payee=BO, amount=20),
        Transfer(payer=ADA, payee=CILLA, amount=20),
    )


def test_a_payment_to_another_player_changes_the_plan():
    """Ada was to pay Bo 30 and pays Cilla 30 instead: 10 too much, so there is a new plan."""
    first_plan = plan_payments({ADA: -50, BO: 30, CILLA: 20})
    assert plan_payments({ADA: -20, BO: 30, CILLA: -10}, first_plan) == (
        Transfer(payer=ADA, payee=BO, amount=20),
        Transfer(payer=CILLA, payee=BO, amount=10),
    )


def test_a_payment_from_one_pair_to_another_changes_the_plan():
    """Ada was to pay Bo 10, and Cilla Disa 5; then Disa pays Bo 5, which neither line settles."""
    first_plan = plan_payments({ADA: -10, BO: 10, CILLA: -5, DISA: 5})
    assert plan_payments({ADA: -10, BO: 5, CILLA: -5, DISA: 10}, first_plan) == (
        Transfer(payer=ADA, payee=DISA, amount=10),
        Transfer(payer=CILLA, payee=BO, amount=5),
    )


def test_what_was_paid_since_the_close_is_taken_off_its_plan():
    """Bo was to pay Disa 20 and has paid 10. Without the plan of the close, Cilla would pay Disa
    and Bo would pay Ada."""
    session = SimpleNamespace(
        balances={ADA: 10, BO: -10, CILLA: -10, DISA: 10},
        carried_to=None,
        table=SimpleNamespace(closed=True),
        net_paid_since_closing={BO: 10, DISA: -10},
    )
    assert plan_transfers(session) == (
        Transfer(payer=CILLA, payee=ADA, amount=10),
        Transfer(payer=BO, payee=DISA, amount=10),
    )


def test_a_treasurer_receives_before_paying_out():
    assert plan_through_treasurer({BO: 1, ADA: -1, DISA: 0, CILLA: 0}, CILLA) == (
        Transfer(payer=ADA, payee=CILLA, amount=1),
        Transfer(payer=CILLA, payee=BO, amount=1),
    )


def test_a_plan_that_is_longer_than_necessary_is_replaced():
    """Ada and Bo were to pay Cilla; since then Bo owes Disa just what she is owed."""
    first_plan = (
        Transfer(payer=ADA, payee=CILLA, amount=10),
        Transfer(payer=BO, payee=CILLA, amount=5),
        Transfer(payer=BO, payee=DISA, amount=5),
    )
    assert plan_payments({ADA: -10, BO: -10, CILLA: 10, DISA: 10}, first_plan) == (
        Transfer(payer=ADA, payee=CILLA, amount=10),
        Transfer(payer=BO, payee=DISA, amount=10),
    )
    assert plan_payments({ADA: -5, BO: -10, CILLA: 10, DISA: 5}, first_plan) == (
        Transfer(payer=ADA, payee=DISA, amount=5),
        Transfer(payer=BO, payee=CILLA, amount=10),
    )
    assert plan_payments({ADA: -10, BO: -10, CILLA: 15, DISA: 5}, first_plan) == first_plan


def test_a_transfer_names_the_players_it_settles():
    stand = {ADA: -50, BO: 30, CILLA: 20, DISA: -5, EMIL: 5}
    for payer, payee, amount, settled_players in (
        (DISA, EMIL, 5, "both"),
        (ADA, BO, 30, "payee"),
        (DISA, CILLA, 5, "payer"),
        (ADA, CILLA, 10, "part"),
    ):
        assert (
            settled_parties(Transfer(payer=payer, payee=payee, amount=amount), stand)
            == settled_players
        )


def test_sixty_balances_are_settled_with_one_transfer_fewer():
    """Only a group has so many balances: the search for an exact plan would take a lifetime."""
    before = balances([7 * n * n + 1 for n in range(59)])
    plan = plan_payments(before)
    assert len(plan) == 59
    assert set(pay_by_plan(before, plan).values()) == {0}
