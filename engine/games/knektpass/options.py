"""What a table of Knektpass agrees before the first deal (docs/rules.md §7 A-KP)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.games.agreements import MisdealPolicy, Points, PointValue

Start = Annotated[int, Meta(ge=1, le=1000)]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (docs/rules.md §7 A-KP)."""

    start: Start = 12
    solo_deduction: Points = 5
    penalty_per_trick: Points = 5
    turn_up_counts: bool = True
    # what counts of three rounds: all, all but never more than five, or only a player's last
    exchange_quota: Literal["sum", "capped_at_5", "last_round"] = "sum"
    min_trick_floor: Literal[0, 1] = 0
    # at 0 or below, at 0 and nowhere else, or at 0 because no score goes below it
    finish: Literal["at_or_below", "exact", "clamp_zero"] = "at_or_below"
    # of several the lowest score (equal ones share), or who came to 0 first as the tricks fell
    finish_tie: Literal["lowest", "trick_order"] = "lowest"
    must_trump_when_void: bool = True
    all_pass_dealer: Literal["next", "same"] = "next"  # noqa: S105  # a pass, not a password
    turn_up_commits: bool = False
    reshuffle_discards: bool = False
    misdeal_policy: MisdealPolicy = "same_dealer"
    point_value: PointValue = None
