"""The pot, bets and debts of a deal."""

from engine.events.event import BaseEvent, InputEvent
from engine.values import Amount, Player


class PotTaken(BaseEvent, frozen=True, kw_only=True):
    deal: int
    player: Player
    amount: Amount


class BetTaken(BaseEvent, frozen=True, kw_only=True):
    deal: int
    player: Player
    bet: int
    by: tuple[Player, ...]  # who laid it
    each: Amount
    laid_in: int
    paid: bool = True  # false: a claim, collected only now (docs/rules.md A-PP-5)


class BetLaid(BaseEvent, frozen=True, kw_only=True):
    deal: int
    bet: int
    by: tuple[Player, ...]
    each: Amount
    played_for: Amount
    multiplier: int
    paid: bool = True


class BetsMerged(InputEvent, frozen=True, kw_only=True):
    """Two bets of the same deal are put together: the second on top of the first."""

    deal: int
    bet: int
    added: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool = True


class BetsParted(InputEvent, frozen=True, kw_only=True):
    """A merged bet is taken apart again: the second one's part lies by itself."""

    deal: int
    bet: int
    parted: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool = True


class LaVolaWon(BaseEvent, frozen=True, kw_only=True):
    """Every other player owes the amount; workers settle it, leg by leg."""

    deal: int
    player: Player
    amount: Amount
    payers: tuple[Player, ...]


class PenaltyPaid(BaseEvent, frozen=True, kw_only=True):
    """Who played alone and failed pays into the pot (docs/rules.md §2.3)."""

    deal: int
    player: Player
    amount: Amount
