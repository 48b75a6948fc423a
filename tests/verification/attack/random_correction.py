"""A closed deal as it might have been played instead: as it was up to some action, then otherwise.

What a table says when it corrects a deal. Knows no game.
"""

from __future__ import annotations

from random import Random

from engine import commands as c
from engine import events as e
from engine.session import fold
from engine.session import session as evenings
from engine.session.event_to_command import command_of
from engine.session.legal import legal_actions
from engine.session.undo import events_by_deal, steps_since
from engine.values import MAX_AMOUNT, Amount, Player
from ledger.session.session_state import SessionState
from tests.support.engine.random_player import RandomPlayer

ONE_DEAL = ("undo", "reseat", "redeal", "open_deal")
"""What is never said in a correction: it is of one deal alone, and tells it to its end."""


def retold(session: SessionState, deal: int, die: Random) -> list[c.Command]:
    """Its actions without the opening. RuleViolation if it was not to be."""
    game, options = session.game, session.options
    trails = steps_since(session.table, deal)
    opening, *spoken = (f for f in events_by_deal(trails)[deal] if isinstance(f, e.InputEvent))
    kept = [command_of(fact) for fact in spoken[: die.randint(0, len(spoken) - 1)]]
    del opening
    at, said, anyone = trails[0].state_before, list[c.Command](), RandomPlayer(die, but=ONE_DEAL)
    for fact in trails[0].events:
        at = fold.evolve(game, at, fact)
    while at.deal_is_open:
        legal = legal_actions(game, options, at, rich)
        command = kept[len(said)] if len(said) < len(kept) else anyone.choose_command(legal)
        assert command is not None, "an open deal can be played on"
        for decided in evenings.decide(game, options, at, command, rich):
            at = fold.evolve(game, at, decided)
        said.append(command)
    return said


def rich(player: Player) -> Amount:
    """A credit limit is asked when a deal is opened, not when it is told again."""
    return MAX_AMOUNT
