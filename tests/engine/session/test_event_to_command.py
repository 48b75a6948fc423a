"""What was recorded can be said again, and makes the same facts."""

from random import Random

import pytest

from engine import commands as c
from engine import events as e
from engine.session.event_to_command import COMMAND_TYPES, command_of
from tests.support.engine.given_when_then import Given
from tests.support.engine.random_walk import next_action


def test_every_spoken_fact_comes_from_an_action():
    told_by_name = {e.DealOpened, e.Reseated, e.BetsMerged, e.BetsParted}
    told_by_name |= {e.CardsExchanged, e.TurnUpExchanged}
    recorded = {kind for kind in e.UNDOABLE_EVENTS if issubclass(kind, e.InputEvent)}
    assert set(COMMAND_TYPES) | told_by_name == recorded
    command = set(COMMAND_TYPES.values()) | {c.OpenDeal, c.Reseat, c.Merge, c.Exchange}
    assert command | {c.Undo} == set(c.Command.__subclasses__())


@pytest.mark.parametrize("seed", range(8))
def test_a_session_replayed_from_its_own_commands_is_the_same(seed):
    die, at = Random(seed), Given(players=3 + seed % 3).agreed(merge_double_bets=bool(seed % 2))
    start = at
    for _ in range(80):
        at = at.after(next_action(at.legal, die, but=("undo",)))
    spoken = [fact for fact in at.history if isinstance(fact, e.InputEvent)]
    assert start.after(*map(command_of, spoken)).history == at.history
