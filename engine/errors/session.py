"""Refusals between deals, and of the table as a whole."""

from engine.errors.violation import RuleViolation


class NoOpenDeal(RuleViolation):
    """No deal is open; open one first."""


class DealIsOpen(RuleViolation):
    """Deal {deal} is still open; finish it, undo it or void it first."""


class DealTaken(RuleViolation):
    """Deal {number} has already been recorded."""


class DealNotNext(RuleViolation):
    """Deal {deal} cannot be opened; the next deal is number {next}."""


class NoSuchDeal(RuleViolation):
    """There is no deal {deal} that counts."""


class DealNotClosed(RuleViolation):
    """These actions do not bring deal {deal} to its end."""


class LaterDealsBreak(RuleViolation):
    """Corrected like this, later deals could not have been played: {deals}."""


class DealNotOpen(RuleViolation):
    """Deal {deal} is not open."""


class NothingToUndo(RuleViolation):
    """There is nothing left to undo."""


class SessionClosed(RuleViolation):
    """The evening is closed; it must be reopened before anything can change."""


class SessionNotClosed(RuleViolation):
    """The evening is not closed; there is no closing to take back."""


class RosterIsFixed(RuleViolation):
    """In this game the same players sit the whole evening."""


class WrongNumberOfPlayers(RuleViolation):
    """{count} players cannot play; this game takes {least} to {most}."""


class SeatedTwice(RuleViolation):
    """{player} cannot sit in two places."""


class NoSuchPlayer(RuleViolation):
    """There is no player {player} in this evening."""


class NotSeated(RuleViolation):
    """{player} does not sit at the table in this deal."""


class CreditLimitReached(RuleViolation):
    """The stake of {stake} would take {player} from {balance} below the credit limit of {limit}."""


class AmountTooLarge(RuleViolation):
    """The amount {amount} is larger than this book can keep exactly ({limit})."""


class LeftoversToPlayFor(RuleViolation):
    """There are {pot} in the pot and {bets} on bets still to be played for."""


class NotNow(RuleViolation):
    """`{action}` cannot happen now; the deal is at `{phase}`."""


class NotInThisGame(RuleViolation):
    """`{field}` is not said in this game."""
