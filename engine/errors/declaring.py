"""Refusals where a player declares, announces or lays bets: the games for a pot."""

from engine.errors.violation import RuleViolation


class NobodyHasDeclared(RuleViolation):
    """Say first who is declarer, or that everybody passed."""


class DeclarerAlreadyKnown(RuleViolation):
    """The declarer of this deal is already known."""


class NotDeclarers(RuleViolation):
    """One player declares, or the dealer {dealer} and the cutter {cutter} together."""


class AcceptOrPass(RuleViolation):
    """In the first round one accepts the suit turned up, or passes."""


class NameASuitOrPass(RuleViolation):
    """In the second round one names a suit, or passes."""


class SuitIsForehands(RuleViolation):
    """Only the forehand {forehand} may name the suit turned up, {suit}, in the second round."""


class MustTake(RuleViolation):
    """The dealer must take the card turned up, so nobody can pass this deal out."""


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


class VoleIsTheSoloists(RuleViolation):
    """Only the soloist {soloist} can announce a vole, not {player}."""


class VoleNeedsFirstTwoTricks(RuleViolation):
    """The soloist {soloist} announces a vole leading to trick three, with both tricks taken."""


class VoleAlreadyAnnounced(RuleViolation):
    """The vole has already been announced by {player}."""


class VoleDoesNotFit(RuleViolation):
    """A vole is won by the soloist {soloist} alone, so it cannot be won with {winner} as winner."""


class OneSoloist(RuleViolation):
    """Exactly one player declares in this game."""
