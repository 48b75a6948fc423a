"""Why the rules say no in a game for points, whichever it is."""

from engine.errors.violation import RuleViolation


class GameIsWon(RuleViolation):
    """The game is won by {winners}; open a new evening for another one."""


class TricksDoNotAddUp(RuleViolation):
    """{counted} tricks are counted, but {played} are played in a deal."""


class NotInThisDeal(RuleViolation):
    """{player} does not play in this deal."""


class BidsFirst(RuleViolation):
    """Both sides bid before the first trick."""


class BidsAreMade(RuleViolation):
    """Both sides have bid; play goes on with the first trick."""
