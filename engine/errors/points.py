"""Refusals in the games for points, and where partners bid (Spader)."""

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


class NotASide(RuleViolation):
    """{side} are not partners; the sides are {sides}."""


class OtherSideBids(RuleViolation):
    """It is for {turn} to bid, not for {side}."""


class NotOfThisSide(RuleViolation):
    """{player} is not one of {side}."""


class BlindNilNotBehind(RuleViolation):
    """{side} is {behind} points behind; a blind nil needs {needed}."""


class BlindNilNotBelowZero(RuleViolation):
    """{side} has {points} points; a blind nil needs {needed} below zero at this table."""


class BlindNilHasLooked(RuleViolation):
    """{player} has already looked at the cards, so a nil is no longer blind."""


class PartnerMustBid(RuleViolation):
    """The partner of a blind nil bids at least one trick at this table."""


class OneBlindNil(RuleViolation):
    """Only one of the partners can bid a blind nil at this table."""


class RedealNotDue(RuleViolation):
    """{player}'s hand gives no right to a new deal for this reason."""


class NoBlindNil(RuleViolation):
    """Nobody has bid a blind nil, so no cards are swapped."""


class NilNeedsPlayersTricks(RuleViolation):
    """{player} bid nil, so the tricks of every player are needed, not of a side."""


class SwapFirst(RuleViolation):
    """Say first whether {side} swapped two cards."""


class TwoOfClubsLeads(RuleViolation):
    """The two of clubs leads to the first trick."""


class LowestClub(RuleViolation):
    """{player} must play the lowest club to the first trick: {legal}."""


class NoSpadeInFirstTrick(RuleViolation):
    """{player} must throw away a diamond or a heart in the first trick: {legal}."""


class SpadesNotBroken(RuleViolation):
    """No trick has been ruffed yet, so {player} cannot lead a spade: {legal}."""
