"""Why the rules said no. Each refusal is a sentence with a stable code and its operands.

Three things are kept apart: a refusal by rule (here), a bad shape (the API's schemas) and a lost
race (the ledger's preconditions).
"""

import re
from typing import ClassVar


class RuleViolation(Exception):
    """The rules forbid it."""

    code: ClassVar[str] = "rule_violation"

    def __init_subclass__(cls) -> None:
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, **operands: object) -> None:
        super().__init__((type(self).__doc__ or "").format(**operands))
        self.operands = operands


class NoOpenDeal(RuleViolation):
    """No deal is open; open one first."""


class DealIsOpen(RuleViolation):
    """Deal {deal} is still open; finish it, undo it or void it first."""


class DealTaken(RuleViolation):
    """Deal {deal} has already been recorded."""


class DealNotNext(RuleViolation):
    """Deal {deal} cannot be opened yet; the next deal is number {next}."""


class DealNotOpen(RuleViolation):
    """Deal {deal} is not open."""


class NothingToUndo(RuleViolation):
    """There is nothing left to undo."""


class SessionClosed(RuleViolation):
    """The evening is closed; nothing more can be played."""


class RosterIsFixed(RuleViolation):
    """In this game the same players sit the whole evening."""


class WrongNumberOfPlayers(RuleViolation):
    """{count} players cannot play; this game takes {least} to {most}."""


class SeatedTwice(RuleViolation):
    """{player} cannot sit in two places."""


class UnknownPlayer(RuleViolation):
    """There is no player {player} in this evening."""


class NotSeated(RuleViolation):
    """{player} does not sit at the table in this deal."""


class CreditLimitReached(RuleViolation):
    """The stake of {stake} would take {player} from {balance} below the credit limit of {limit}."""


class AmountTooLarge(RuleViolation):
    """The amount {amount} is larger than this book can keep exactly ({most})."""


class LeftoversToPlayFor(RuleViolation):
    """There are {pot} in the pot and {bets} on bets still to be played for."""


class NotNow(RuleViolation):
    """`{action}` cannot happen now; the deal is at `{phase}`."""


class NobodyHasDeclared(RuleViolation):
    """Say first who is declarer, or that everybody passed."""


class DeclarerAlreadyKnown(RuleViolation):
    """The declarer of this deal is already known."""


class NotDeclarers(RuleViolation):
    """One player declares, or the dealer {dealer} and the cutter {cutter} together."""


class NotYourTurn(RuleViolation):
    """It is {turn}'s turn, not {player}'s."""


class NotOnLead(RuleViolation):
    """{turn} is on lead, not {player}."""


class AcceptOrPass(RuleViolation):
    """In the first round one accepts the suit turned up, or passes."""


class NameASuitOrPass(RuleViolation):
    """In the second round one names a suit, or passes."""


class SuitIsForehands(RuleViolation):
    """Only the forehand {forehand} may name the suit turned up, {suit}, in the second round."""


class MustTake(RuleViolation):
    """The dealer must take the card turned up, so nobody can pass this deal out."""


class NothingToDiscard(RuleViolation):
    """{player} has no sixth card to lay away."""


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
    """{card} is not in {player}'s hand."""


class MustFollowSuit(RuleViolation):
    """{player} must follow suit: {legal}."""


class WrongHandSize(RuleViolation):
    """{player} holds {held} cards at this point, not {shown}."""


class HandAlreadyKnown(RuleViolation):
    """{player}'s hand is already known, to the last card."""


class HandDoesNotFit(RuleViolation):
    """{card} is missing: {player} took it and must hold it."""


class LaVolaNeedsFirstTwoTricks(RuleViolation):
    """Only who took the first two tricks can announce la vola, leading to the third."""


class LaVolaAlreadyAnnounced(RuleViolation):
    """La vola has already been announced by {player}."""


class EarlyEndNotAllowed(RuleViolation):
    """This table plays every deal to its last trick."""


class WinnerNotCertain(RuleViolation):
    """The tricks still to come could give another winner."""


class NobodyWinsNeedsFive(RuleViolation):
    """Only among five players can a deal end without a winner."""


class NothingToMerge(RuleViolation):
    """Bets are merged only after a deal that two declarers have just lost."""


class AlreadyTogether(RuleViolation):
    """The two bets already lie together."""


class AlreadyApart(RuleViolation):
    """The two bets already lie apart."""
