"""Refusals of a card, a hand or a trick, in any game."""

from engine.errors.violation import RuleViolation


class NotYourTurn(RuleViolation):
    """It is {turn}'s turn, not {player}'s."""


class NotOnLead(RuleViolation):
    """{turn} is on lead, not {player}."""


class NothingToDiscard(RuleViolation):
    """{player} has no sixth card to lay away."""


class TakenCardStays(RuleViolation):
    """{card} was taken, so another card is laid away."""


class DiscardFirst(RuleViolation):
    """{players} must lay away the sixth card before the first lead."""


class TrumpUnknown(RuleViolation):
    """Cards can be recorded only when the trump suit is known."""


class TrickHasCards(RuleViolation):
    """Cards of this trick have been recorded; play it to its end by cards."""


class TricksAlreadyRecorded(RuleViolation):
    """Tricks have been recorded; go on with them, or undo them to record only the result."""


class CardNotInPack(RuleViolation):
    """{card} is not in this pack."""


class CardAlreadyGone(RuleViolation):
    """{card} has already been seen elsewhere in this deal."""


class CardNotInHand(RuleViolation):
    """{card} is not in {player}'s hand; it holds {legal} to play."""


class MustFollowSuit(RuleViolation):
    """{player} must follow suit: {legal}."""


class MustHead(RuleViolation):
    """{player} can take this trick so far, and must: {legal}."""


class MustTrump(RuleViolation):
    """{player} cannot follow suit but can take this trick with a trump, and must: {legal}."""


class WrongHandSize(RuleViolation):
    """{player} holds {held} cards at this point, not {shown}."""


class HandAlreadyKnown(RuleViolation):
    """{player}'s hand is already known, to the last card."""


class HandDoesNotFit(RuleViolation):
    """{card} is missing: {player} took it and must hold it."""
