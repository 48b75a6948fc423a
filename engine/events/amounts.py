"""What a deal moves: the pot, bets and debts, or points on the score sheet."""

from typing import Literal

from engine.events.event import BaseEvent, InputEvent, Player
from engine.values import Amount


class AmountEvent(BaseEvent, frozen=True, kw_only=True):
    """A player gets or pays an amount because of a deal."""

    deal: int
    player: Player
    amount: Amount


class PotTaken(AmountEvent, frozen=True, kw_only=True):
    """The winner takes the pot."""


class BetEvent(BaseEvent, frozen=True, kw_only=True):
    """A bet is laid, taken, merged or split."""

    deal: int
    bet: int
    by: tuple[Player, ...]  # who laid it, or the part of it that is merged or split off
    each: Amount
    paid: bool = True  # false: a claim, collected only when it is taken (docs/rules.md A-PP-5)


class BetTaken(BetEvent, frozen=True, kw_only=True):
    """The winner takes the smallest bet."""

    player: Player
    laid_in: int


class BetLaid(BetEvent, frozen=True, kw_only=True):
    """A declarer who did not win lays a bet."""

    played_for: Amount
    multiplier: int


class BetsMerged(BetEvent, InputEvent, frozen=True, kw_only=True):
    """Two bets of the same deal are put together: the second on top of the first."""

    added: int


class BetsParted(BetEvent, InputEvent, frozen=True, kw_only=True):
    """A merged bet is taken apart again: the second one's part lies by itself."""

    parted: int


class LaVolaWon(AmountEvent, frozen=True, kw_only=True):
    """Every other player owes the amount; workers settle it, payment by payment."""

    payers: tuple[Player, ...]


class PenaltyPaid(AmountEvent, frozen=True, kw_only=True):
    """A declarer who failed pays into the pot.

    Source: docs/rules.md §2.3.
    """


ScoringRule = Literal[
    "bid_made", "bid_failed", "bags", "bag_points",
    "nil_made", "nil_failed", "blind_nil_made", "blind_nil_failed",
    "joint_nil_made", "joint_nil_failed", "joint_nil_bags",
    "quota_made", "quota_missed", "played_alone",
]  # fmt: skip


class Scored(BaseEvent, frozen=True, kw_only=True):
    """Points for one reason, to a player or a side, with the counts that its rule names."""

    deal: int
    to: str  # `p1`, or a side `p1+p3`
    points: int
    rule: ScoringRule
    player: Player | None = None  # who bid nil
    bid: int | None = None
    taken: int | None = None
    exchanged: int | None = None
    least: int | None = None  # tricks that had to be taken
    each: int | None = None  # points per trick, bag or missing trick
    overtricks: int = 0


class GameWon(BaseEvent, frozen=True, kw_only=True):
    """The game for points is won. Players or sides with equal scores win together."""

    deal: int
    winners: tuple[str, ...]
