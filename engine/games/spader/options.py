"""What a table of Spader agrees before the first deal (docs/rules.md §7, A-SP)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.games.agreements import MisdealPolicy, Points, PointValue
from engine.games.spader.trick_rules import CourtCards


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (docs/rules.md §7, A-SP)."""

    target: Annotated[int, Meta(ge=1, le=10_000)] = 500
    nil: Points = 50
    blind_nil: Points = 100
    joint_nil: Points = 50
    joint_nil_fail: Literal[-50, -100, -200] = -50
    joint_nil_fail_bags: bool = False
    bag_limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    bag_penalty: Points = 100
    bag_points_removed: bool = False
    blind_nil_deficit: Points = 100
    blind_nil_deficit_mode: Literal["relative", "absolute"] = "relative"
    blind_nil_partner_zero: bool = False
    double_blind_nil: bool = False
    tie_at_target: Literal["play_on", "shared"] = "play_on"
    loss_floor: Literal[-200, -500] | None = None
    undertricks: Literal["per_trick", "per_bid"] = "per_trick"
    failed_nil_tricks_count: bool = True
    court_cards: CourtCards = "JQK"
    redeal_dealer: Literal["same", "next"] = "same"
    misdeal_policy: MisdealPolicy = "same_dealer"
    point_value: PointValue = None
