"""Refusals by rule. Each is a sentence with a stable code and its operands.

Three things are kept apart: a refusal by rule (here), a bad shape (the API's schemas) and a lost
race (the ledger's preconditions). One file for each part of a game.
"""

# so that other modules can write `errors.MustFollowSuit`
from engine.errors.cards import *  # noqa: F403
from engine.errors.declaring import *  # noqa: F403
from engine.errors.exchanging import *  # noqa: F403
from engine.errors.points import *  # noqa: F403
from engine.errors.session import *  # noqa: F403
from engine.errors.violation import RuleViolation as RuleViolation
