"""Why the rules said no. Each refusal is a sentence with a stable code and its operands.

Three things are kept apart: a refusal by rule (here), a bad shape (the API's schemas) and a lost
race (the ledger's preconditions). A file for each part of the table.
"""

# one name for all of them: whoever refuses writes `errors.MustFollowSuit`
from engine.errors.cards import *  # noqa: F403
from engine.errors.declaring import *  # noqa: F403
from engine.errors.exchanging import *  # noqa: F403
from engine.errors.points import *  # noqa: F403
from engine.errors.session import *  # noqa: F403
from engine.errors.violation import RuleViolation as RuleViolation
