"""Whoever exchanges cards must take as many tricks: what a player who stayed scores.

Knows how many cards were exchanged and how many tricks taken, and nothing of the cards. A score
counts down, so points below zero are good. Source: docs/rules.md §4.3, A-KP-1 to A-KP-3.
"""

from functools import partial

import msgspec

from engine import events
from engine.games.knektpass.options import Options
from engine.values import Player


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """What one player exchanged: the card turned up, and so many cards in each round."""

    turn_up: bool = False
    cards: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """Every card, whether it counts or not."""
        return self.turn_up + sum(self.cards)


def required_tricks(options: Options, exchanged: Exchanged) -> int:
    """The tricks that this player must take. A plain sum can be more than can be taken (A-KP-2)."""
    counted = exchanged.cards
    if options.exchange_quota == "last_round":
        counted = counted[-1:]
    quota = sum(counted)
    if exchanged.turn_up and options.turn_up_counts:
        quota += 1
    if options.exchange_quota == "capped_at_5":
        quota = min(quota, 5)
    return max(quota, options.min_trick_floor)


def score_player(
    options: Options, deal: int, player: Player, exchanged: Exchanged, tricks: int
) -> events.Scored:
    """One point off for each trick; with too few, so much on for each one missing instead."""
    quota = required_tricks(options, exchanged)
    row = partial(
        events.Scored, deal=deal, to=player, taken=tricks, exchanged=exchanged.total, least=quota
    )
    if tricks >= quota:
        return row(rule="quota_made", points=-tricks)
    penalty = options.penalty_per_trick
    return row(rule="quota_missed", points=penalty * (quota - tricks), each=penalty)
