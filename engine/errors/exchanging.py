"""Refusals where players stay or pass and exchange cards: Knektpass."""

from engine.errors.violation import RuleViolation


class SayStayOrPass(RuleViolation):
    """{turn} first says whether to stay or pass."""


class EverybodyHasSpoken(RuleViolation):
    """Everybody has said whether he stays or passes."""


class SomebodyStays(RuleViolation):
    """{player} stays, so not everybody passed."""


class DealersSwapOnly(RuleViolation):
    """Only the dealer {dealer} may exchange a card for the one turned up."""


class SwapComesFirst(RuleViolation):
    """The dealer takes the card turned up before anybody has said whether he stays or passes."""


class AlreadyExchanged(RuleViolation):
    """The card turned up has already been exchanged."""


class SwapBindsTheDealer(RuleViolation):
    """The dealer {player} exchanged the card turned up, and at this table must stay."""


class ExchangeRoundsOver(RuleViolation):
    """Cards are exchanged in three rounds at most, and {player} has had the last."""


class TalonTooSmall(RuleViolation):
    """{left} cards are left in the talon, not {cards}."""
