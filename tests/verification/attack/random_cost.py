"""A random step with the shared costs of a session: record, correct or void one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ledger.session import cost_commands
from ledger.session.session_state import SessionState
from ledger.store.append_request import Decision

Decide = Callable[[SessionState], Decision]

MAX_AMOUNT = 60_000


def draw_cost(session: SessionState, die: Random) -> Decide:
    """Return a decision that records, corrects or voids a cost; without costs, it records one."""
    payer, other = die.sample(session.table.players, 2)
    amount = die.randint(1, MAX_AMOUNT)
    parts = None
    if die.random() < 0.5:
        parts = {player: die.choice((0, 0, 1, 1, 2)) for player in session.table.players}
        parts[other] = die.randint(1, 3)
    number = die.choice([*session.costs]) if session.costs else 0
    purpose = die.choice((None, "Pizza"))
    match die.choices(("record", "correct", "void"), (6, 3, 2))[0] if number else "record":
        case "correct":
            return lambda session: Decision(
                events=cost_commands.correct_cost(session, number, payer, amount, parts),
                remark=purpose,
            )
        case "void":
            return lambda session: Decision(events=cost_commands.void_cost(session, number))
        case _:
            return lambda session: Decision(
                events=cost_commands.record_cost(session, payer, amount, parts), remark=purpose
            )
