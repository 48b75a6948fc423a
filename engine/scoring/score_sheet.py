"""The score sheet: points for players or for sides, until somebody has won the game.

Shared by the games for points. Does not know what points are given for.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import events
from engine.errors import GameIsWon
from engine.values import Amount, Seats


class ScoreSheet(msgspec.Struct, frozen=True, kw_only=True):
    """What every player or side has. Its mappings are never changed, only replaced."""

    scores: Mapping[str, int]
    overtricks: Mapping[str, int]  # since the start of the game; empty where none are counted
    winners: tuple[str, ...] = ()

    def open_deal(self, opening: events.DealOpened) -> events.Events:
        """Return the opening of the next deal. Raise GameIsWon if somebody has won already."""
        if self.winners:
            raise GameIsWon(winners=list(self.winners))
        return (opening,)


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """How a game keeps its sheet."""

    contestants: Callable[[Seats], tuple[str, ...]]  # who has a score: players, or sides `p1+p3`
    starting_score: Callable[[Any], int]
    goal: Callable[[Any], int]
    lowest_wins: bool = False
    counts_overtricks: bool = False

    def new_sheet(self, options: Any, seats: Seats) -> ScoreSheet:
        """The sheet before the first deal."""
        contestants = self.contestants(seats)
        return ScoreSheet(
            scores=dict.fromkeys(contestants, self.starting_score(options)),
            overtricks=dict.fromkeys(contestants, 0) if self.counts_overtricks else {},
        )

    def settle(self, sheet: ScoreSheet, value: Amount | None) -> Iterator[events.PointsPaid]:
        """Yield the payments when a game for points ends, `value` for each point. Every player pays
        every player with a better score the difference (docs/decisions.md). With two sides, each
        player pays, or is paid by, the opponent in the same place of the other side."""
        if not value:
            return
        for first, second in combinations(sheet.scores, 2):
            points = sheet.scores[first] - sheet.scores[second]
            if not points:
                continue
            first_is_ahead = (points < 0) == self.lowest_wins
            winner, loser = (first, second) if first_is_ahead else (second, first)
            for payee, payer in zip(winner.split("+"), loser.split("+"), strict=True):
                yield events.PointsPaid(payer=payer, payee=payee, points=abs(points), value=value)


def apply_score(sheet: ScoreSheet, fact: events.Scored | events.GameWon) -> ScoreSheet:
    """Return the sheet with this line."""
    if isinstance(fact, events.GameWon):
        return replace(sheet, winners=fact.winners)
    contestant, overtricks = fact.to, sheet.overtricks
    if fact.overtricks:
        overtricks = {**overtricks, contestant: overtricks[contestant] + fact.overtricks}
    scores = {**sheet.scores, contestant: sheet.scores[contestant] + fact.points}
    return replace(sheet, scores=scores, overtricks=overtricks)


def revert_score(sheet: ScoreSheet, fact: events.Scored | events.GameWon) -> ScoreSheet:
    """Return the sheet without this line, its last one."""
    if isinstance(fact, events.GameWon):
        return replace(sheet, winners=())
    return apply_score(sheet, replace(fact, points=-fact.points, overtricks=-fact.overtricks))
