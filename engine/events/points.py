"""Points on the score sheet."""

from typing import Literal

from engine.events.event import BaseEvent
from engine.values import Player

ScoringRule = Literal[
    "bid_made", "bid_failed", "bags", "bag_points",
    "nil_made", "nil_failed", "blind_nil_made", "blind_nil_failed",
    "joint_nil_made", "joint_nil_failed", "joint_nil_bags",
    "quota_made", "quota_missed", "played_alone",
]  # fmt: skip


class Scored(BaseEvent, frozen=True, kw_only=True):
    """Points for one reason, to a player or a side. Counts are those that the rule speaks of."""

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
    """The game for points is over; several who came in equal share it."""

    deal: int
    winners: tuple[str, ...]
