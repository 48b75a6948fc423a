"""Assign items one to one where they fit, and tell certain pairs from ambiguous ones.

Knows only pairs of numbers: on the left the item to assign, on the right what it is assigned to.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

Pair = tuple[int, int]

MAX_SEARCHED_PAIRS = 400
"""The most connected pairs that are searched. More of them are ambiguous to people as well."""


def assign(levels: Iterable[Sequence[Pair]]) -> tuple[set[Pair], set[Pair]]:
    """Return the pairs that are certain, and those that are ambiguous.

    The levels come best first, and a better one decides before the next. A pair is certain if every
    largest assignment of its level has it. What could be assigned in several ways is ambiguous, and
    so is what a worse level would assign to the same right-hand side.

    Line 1 fits the transfers 1 and 2, and line 2 only transfer 2: both pairs (1, 1) and (2, 2) are
    certain. If line 2 fits both as well, all four pairs are ambiguous.
    """
    certain: set[Pair] = set()
    ambiguous: set[Pair] = set()
    settled_lefts: set[int] = set()
    settled_rights: set[int] = set()
    contested: set[int] = set()
    for level in levels:
        free = [(x, y) for x, y in level if x not in settled_lefts and y not in settled_rights]
        for component in _components(free):
            is_contested = not contested.isdisjoint(right for _, right in component)
            searched = not is_contested and len(component) <= MAX_SEARCHED_PAIRS
            certain_here = _certain_pairs(component) if searched else set()
            certain |= certain_here
            settled_lefts |= {left for left, _ in certain_here}
            settled_rights |= {right for _, right in certain_here}
            rest = {
                (x, y) for x, y in component if x not in settled_lefts and y not in settled_rights
            }
            ambiguous |= rest
            settled_lefts |= {left for left, _ in rest}
            contested |= {right for _, right in rest}
    return certain, ambiguous


def _components(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pairs in groups that share neither side."""
    pairs_by_left: defaultdict[int, list[Pair]] = defaultdict(list)
    pairs_by_right: defaultdict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        pairs_by_left[pair[0]].append(pair)
        pairs_by_right[pair[1]].append(pair)
    components = []
    known_pairs: set[Pair] = set()
    for first in pairs:
        if first in known_pairs:
            continue
        known_pairs.add(first)
        component = [first]
        for left, right in component:  # grows while it is read
            for pair in (*pairs_by_left.pop(left, ()), *pairs_by_right.pop(right, ())):
                if pair not in known_pairs:
                    known_pairs.add(pair)
                    component.append(pair)
        components.append(component)
    return components


def _certain_pairs(component: Sequence[Pair]) -> set[Pair]:
    """Return the pairs that every largest assignment has. One such assignment has them all; which
    of its pairs are certain shows in trying to do without each of them."""
    choices: defaultdict[int, list[int]] = defaultdict(list)
    for left, right in sorted(component):
        choices[left].append(right)
    assigned: dict[int, int] = {}  # from right to left
    for left in choices:
        _assign_one_more(choices, assigned, left, set())
    return {
        (left, right)
        for right, left in assigned.items()
        if not _can_do_without(choices, assigned, (left, right))
    }


def _can_do_without(choices: dict[int, list[int]], assigned: dict[int, int], pair: Pair) -> bool:
    """Return whether an assignment without this pair is as large as `assigned`: whether, with the
    pair forbidden and taken out, there is one more item to assign in its stead."""
    left, right = pair
    other_choices = {**choices, left: [choice for choice in choices[left] if choice != right]}
    assigned_without = {y: x for y, x in assigned.items() if y != right}
    visited: set[int] = set()
    return any(
        _assign_one_more(other_choices, assigned_without, x, visited)
        for x in choices
        if x not in assigned_without.values()
    )


def _assign_one_more(
    choices: dict[int, list[int]], assigned: dict[int, int], left: int, visited: set[int]
) -> bool:
    """Assign one more item: where its choice is taken, the item there moves to another choice of
    its own, and so on. Return whether it was possible; a right-hand side in `visited` is known not
    to help. If no item can be added so, the assignment is the largest (an augmenting path).

    Line 1 has transfer 1 and fits 2 as well, and line 2 fits only 1: line 1 moves to 2.
    """
    for right in choices[left]:
        if right in visited:
            continue
        visited.add(right)
        if right not in assigned or _assign_one_more(choices, assigned, assigned[right], visited):
            assigned[right] = left
            return True
    return False
