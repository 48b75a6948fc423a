"""A certain pair is in every best assignment; people decide about the others."""

from itertools import chain, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.groups.bank_lines.assignment import MAX_SEARCHED_PAIRS, assign

pairs = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12).map(sorted)
held = settings(max_examples=300, deadline=None, derandomize=True, database=None)


def largest_assignments(pairs):
    """Return the largest assignments, found by trying every order of the right-hand sides."""
    lefts, rights = sorted({x for x, _ in pairs}), sorted({y for _, y in pairs})
    places = rights + [None] * len(lefts)
    found = {
        frozenset((x, y) for x, y in zip(lefts, order, strict=True) if (x, y) in pairs)
        for order in permutations(places, len(lefts))
    }
    size = max(map(len, found))
    return [assignment for assignment in found if len(assignment) == size]


@settings(held, max_examples=60)
@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8))
def test_certain_is_what_every_largest_assignment_has(pairs):
    certain, _ = assign([sorted(pairs)])
    assert certain == frozenset.intersection(*largest_assignments(pairs))


@held
@given(st.lists(pairs, max_size=3))
def test_each_side_is_assigned_once_and_never_where_it_is_ambiguous(levels):
    certain, ambiguous = assign(levels)
    for side in (0, 1):
        ends = [pair[side] for pair in certain]
        assert len(ends) == len(set(ends))
        assert not set(ends) & {pair[side] for pair in ambiguous}
    assert certain | ambiguous <= set(chain(*levels))


@held
@given(st.lists(pairs, max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_decides_nothing(levels, die):
    shuffled = [die.sample(level, len(level)) for level in levels]
    assert assign(shuffled) == assign(levels)


def test_the_only_way_to_assign_all_is_certain():
    certain, ambiguous = assign([[(1, 1), (1, 2), (2, 2)]])
    assert certain == {(1, 1), (2, 2)}
    assert not ambiguous


def test_a_better_level_decides_first():
    assert assign([[(1, 1)], [(1, 2), (2, 1), (2, 2)]]) == ({(1, 1), (2, 2)}, set())


def test_an_ambiguous_pair_stays_ambiguous_at_worse_levels():
    certain, ambiguous = assign([[(1, 1), (2, 1)], [(3, 1), (3, 2)]])
    assert not certain
    assert ambiguous == {(1, 1), (2, 1), (3, 1), (3, 2)}


def test_too_many_that_hang_together_are_ambiguous():
    level = [(x, y) for x in range(MAX_SEARCHED_PAIRS) for y in (x, x + 1)]
    assert assign([level]) == (set(), set(level))
