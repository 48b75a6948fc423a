"""A random correction of a closed deal: the same actions up to some point, then other legal ones.

The module knows no game.
"""

from __future__ import annotations

from random import Random

from engine import commands, events
from engine.session import fold
from engine.session import session as session_rules
from engine.session.event_to_command import command_of
from engine.session.legal import legal_actions
from engine.session.undo import events_by_deal, steps_since
from engine.values import MAX_AMOUNT, Amount, Player
from ledger.session.session_state import SessionState
from tests.support.engine.random_player import RandomPlayer

ONE_DEAL = ("undo", "reseat", "redeal", "open_deal")
"""Commands that a correction cannot contain, because it covers one deal to its end."""


def draw_correction(session: SessionState, deal: int, die: Random) -> list[commands.Command]:
    """Return the deal's new commands without the opening. Raise RuleViolation if none fit."""
    undo_steps = steps_since(session.table, deal)
    input_events = [
        event for event in events_by_deal(undo_steps)[deal] if isinstance(event, events.InputEvent)
    ][1:]  # without the opening
    same_count = die.randint(0, len(input_events) - 1)
    same_commands = [command_of(event) for event in input_events[:same_count]]
    table, player = undo_steps[0].state_before, RandomPlayer(die, but=ONE_DEAL)
    for event in undo_steps[0].events:
        table = fold.evolve(table, event)
    drawn: list[commands.Command] = []
    while table.deal_is_open:
        legal = legal_actions(table, unlimited_credit)
        command = (
            same_commands[len(drawn)]
            if len(drawn) < len(same_commands)
            else player.choose_command(legal)
        )
        assert command is not None, "an open deal can be played on"
        for event in session_rules.decide(table, command, unlimited_credit):
            table = fold.evolve(table, event)
        drawn.append(command)
    return drawn


def unlimited_credit(player: Player) -> Amount:
    """Return the largest amount: a correction does not check the credit limit."""
    return MAX_AMOUNT
