"""Whoever exchanges cards must take as many tricks: what a player who stayed scores.

Knows how many cards were exchanged and how many tricks taken, and nothing of the cards. A score
counts down, so points below zero are good. Source: docs/rules.md §4.3, A-KP-1 to A-KP-3.
"""

from typing import Literal, Protocol

import msgspec

from engine import events
from engine.values import Player

ExchangeQuota = Literal["sum", "capped_at_5", "last_round"]
"""What counts of three rounds: all, all but never more than five, or only a player's last."""


class Agreed(Protocol):
    @property
    def penalty_per_trick(self) -> int: ...
    @property
    def turn_up_counts(self) -> bool: ...
    @property
    def exchange_quota(self) -> ExchangeQuota: ...
    @property
    def min_trick_floor(self) -> int: ...


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """What one player exchanged: the card turned up, and so many cards in each round."""

    turn_up: bool = False
    cards: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """Every card, whether it counts or not."""
        return self.turn_up + sum(self.cards)


def required_tricks(agreed: Agreed, exchanged: Exchanged) -> int:
    """The tricks that this player must take. A plain sum can be more than can be taken (A-KP-2)."""
    counted = exchanged.cards
    if agreed.exchange_quota == "last_round":
        counted = counted[-1:]
    quota = sum(counted)
    if exchanged.turn_up and agreed.turn_up_counts:
        quota += 1
    if agreed.exchange_quota == "capped_at_5":
        quota = min(quota, 5)
    return max(quota, agreed.min_trick_floor)


def score_player(
    agreed: Agreed, deal: int, player: Player, exchanged: Exchanged, tricks: int
) -> events.Scored:
    """One point off for each trick; with too few, so much on for each one missing instead."""
    quota = required_tricks(agreed, exchanged)
    missing = quota - tricks
    if missing <= 0:
        return events.Scored(
            deal=deal,
            to=player,
            points=-tricks,
            rule="quota_made",
            taken=tricks,
            exchanged=exchanged.total,
            least=quota,
        )
    return events.Scored(
        deal=deal,
        to=player,
        points=agreed.penalty_per_trick * missing,
        rule="quota_missed",
        taken=tricks,
        exchanged=exchanged.total,
        least=quota,
        each=agreed.penalty_per_trick,
    )
