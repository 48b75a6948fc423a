"""Who wins five tricks: every sequence of every table, against the table of docs/rules.md §1.5."""

from collections import Counter, defaultdict
from itertools import product

import pytest

from engine.tricks.five_tricks import certain_winner, winner_of_five
from tests.support.engine.reference_card_rules import find_winner, pattern

SEQUENCES = {players: tuple(product("ABCDE"[:players], repeat=5)) for players in (3, 4, 5)}
"""All 3⁵, 4⁵ and 5⁵ ways in which five tricks can fall."""

PATTERNS = """
5          |   3    4    5
4-1        |  30   60  100
3-2        |  60  120  200
3-1-1      |  60  240  600
2-2-1      |  90  360  900
2-1-1-1    |   0  240 1200
1-1-1-1-1  |   0    0  120
"""


def winner_by_the_english_and_german_words(tricks):
    """«… so long as the other tricks do not all fall to the same player»."""
    winners = set()
    for player, trick_winners in Counter(tricks).items():
        other_players = [t for t in tricks if t != player]
        places = {p: [i for i, t in enumerate(tricks) if t == p] for p in set(tricks)}
        first_to_two = trick_winners >= 2 and all(
            places[player][1] < second[1]
            for p, second in places.items()
            if p != player and len(second) >= 2
        )
        if trick_winners >= 3 or (first_to_two and len(set(other_players)) > 1):
            winners.add(player)
    assert len(winners) <= 1, tricks
    return winners.pop() if winners else None


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_table_of_patterns_counts_every_sequence(players):
    rows = (line.split("|") for line in PATTERNS.strip().splitlines())
    expected = {name.strip(): int(counts.split()[players - 3]) for name, counts in rows}
    counted = Counter(pattern(tricks) for tricks in SEQUENCES[players])

    assert counted == {name: count for name, count in expected.items() if count}
    assert counted.total() == players**5


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_sequence_has_the_winner_that_the_table_names(players):
    for tricks in SEQUENCES[players]:
        assert winner_of_five(tricks) == find_winner(tricks), tricks


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_english_and_german_words_name_the_same_winner(players):
    for tricks in SEQUENCES[players]:
        assert winner_of_five(tricks) == winner_by_the_english_and_german_words(tricks), tricks


@pytest.mark.parametrize(
    ("tricks", "winner"), [("AABBB", "B"), ("ABCBA", "B"), ("AABBC", "A"), ("ABCDE", None)]
)
def test_the_examples_of_the_table(tricks, winner):
    assert winner_of_five(tuple(tricks)) == winner


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_winner_is_certain_only_when_no_ending_gives_another(players):
    seats = tuple("ABCDE"[:players])
    endings = defaultdict(set)
    for tricks in SEQUENCES[players]:
        for played in range(6):
            endings[tricks[:played]].add(find_winner(tricks))
    for trick_winners, winners in endings.items():
        expected = (True, *winners) if len(winners) == 1 else (False, None)
        assert certain_winner(trick_winners, seats) == expected, trick_winners
