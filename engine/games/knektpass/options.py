"""What a table of Knektpass agrees before the first deal (docs/rules.md §7 A-KP)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.games.agreements import MisdealPolicy, PointValue

Start = Annotated[int, Meta(ge=1, le=1000)]
Points = Annotated[int, Meta(ge=0, le=1000)]

ExchangeQuota = Literal["sum", "capped_at_5", "last_round"]
"""What counts of three rounds: all, all but never more than five, or only a player's last."""

Finish = Literal["at_or_below", "exact", "clamp_zero"]
"""At 0 or below, at 0 and nowhere else, or at 0 because no score goes below it."""

FinishTie = Literal["lowest", "trick_order"]
"""Of several the lowest score (equal ones share), or who came to 0 first as the tricks fell."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (docs/rules.md §7 A-KP)."""

    start: Start = 12
    solo_deduction: Points = 5
    penalty_per_trick: Points = 5
    turn_up_counts: bool = True
    exchange_quota: ExchangeQuota = "sum"
    min_trick_floor: Literal[0, 1] = 0
    finish: Finish = "at_or_below"
    finish_tie: FinishTie = "lowest"
    must_trump_when_void: bool = True
    all_pass_dealer: Literal["next", "same"] = "next"  # noqa: S105  # a pass, not a password
    turn_up_commits: bool = False
    reshuffle_discards: bool = False
    misdeal_policy: MisdealPolicy = "same_dealer"
    point_value: PointValue = None
