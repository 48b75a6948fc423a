"""What a player who stayed scores in a deal, and when a score of 0 wins the game.

A player who exchanges cards must take as many tricks. A score counts down, so negative points are
good; the first to come down to 0 wins, which is decided at the end of the deal. Knows how many
cards were exchanged and how many tricks taken, and nothing of the cards.
Source: docs/rules.md §4.3 and §4.4, A-KP-1 to A-KP-5.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec
from msgspec.structs import replace

from engine import events
from engine.games.knektpass.options import Options
from engine.values import Player, Seats


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """What one player exchanged: whether the card turned up, and how many cards in each round."""

    turn_up: bool = False
    cards: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """The number of cards exchanged, whether they count or not."""
        return self.turn_up + sum(self.cards)


def required_tricks(options: Options, exchanged: Exchanged) -> int:
    """Return the tricks that this player must take; with `sum` they can exceed five (A-KP-2)."""
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
    """Return the line of a player: one point off for each trick taken, or, with too few tricks,
    `penalty_per_trick` points on for each one missing."""
    quota = required_tricks(options, exchanged)
    row = partial(
        events.Scored, deal=deal, to=player, taken=tricks, exchanged=exchanged.total, least=quota
    )
    if tricks >= quota:
        return row(rule="quota_made", points=-tricks)
    penalty = options.penalty_per_trick
    return row(rule="quota_missed", points=penalty * (quota - tricks), each=penalty)


def limit_lines(
    options: Options, scores: Mapping[str, int], lines: Iterable[events.Scored]
) -> tuple[events.Scored, ...]:
    """Return the lines as they go on the sheet. Where no score goes below 0 (`clamp_zero`), a line
    takes off no more than the player's score. Each player has one line."""
    if options.finish != "clamp_zero":
        return tuple(lines)
    return tuple(replace(line, points=max(line.points, -scores[line.to])) for line in lines)


def decide_winners(
    options: Options,
    deal: int,
    scores: Mapping[str, int],
    lines: Iterable[events.Scored],
    trick_winners: Seats,
) -> Iterator[events.GameWon]:
    """Yield the end of the game if these lines end it. `scores` are those before them.
    `trick_winners`: who took the tricks, in order; empty when they were only counted."""
    written = {line.to: line.points for line in lines}
    after = {player: scores[player] + written[player] for player in scores if player in written}
    exact = options.finish == "exact"
    finished = {player: n for player, n in after.items() if n == 0 or (n < 0 and not exact)}
    if not finished:
        return
    lowest = min(finished.values())
    winners = tuple(player for player, score in finished.items() if score == lowest)
    if options.finish_tie == "trick_order":
        first = _first_to_reach_zero({player: scores[player] for player in finished}, trick_winners)
        winners = (first,) if first else winners
    yield events.GameWon(deal=deal, winners=winners)


def _first_to_reach_zero(scores: dict[str, int], trick_winners: Seats) -> str | None:
    """Return whose tricks, taken one by one, first bring the score to 0. A player brought to 0 by
    a penalty had a score below it, which no number of tricks equals."""
    for place, player in enumerate(trick_winners, start=1):
        if player in scores and trick_winners[:place].count(player) == scores[player]:
            return player
    return None
