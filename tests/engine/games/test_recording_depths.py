"""The same deals recorded card by card, trick by trick or by their result come to the same.

A croupier plays with real cards; what he recorded is told again more shortly in two fresh books.
`VOLA_EVENINGS=10000` plays so many evenings of every game.
"""

import os

import pytest

from engine.games.registry import GAMES
from tests.support.engine.every_option import every_position
from tests.support.engine.recording_depths import play_at_every_depth

EVENINGS = int(os.environ.get("VOLA_EVENINGS", "1"))
DEALS = 5
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@every_game
def test_the_same_score_at_three_depths(game):
    dealt = cards_shown = 0
    positions = list(every_position(game.options_type))
    for seed, (name, value) in enumerate(positions):
        deals, croupier = play_at_every_depth(game, f"{game.key} {seed}", **{name: value})
        dealt, cards_shown = dealt + deals, cards_shown + croupier.checked
    assert dealt > 2 * len(positions)
    assert cards_shown > 10 * len(positions), (
        "often enough the cards that may be played are known to the last one"
    )


@every_game
def test_random_sessions_score_the_same_at_three_depths(game):
    for seed in range(EVENINGS):
        play_at_every_depth(game, f"often {game.key} {seed}")
