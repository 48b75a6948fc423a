"""The score sheet: points for players or for sides, until somebody has won the game.

Shared by the games for points. Does not know for what a point is given.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount, Seats


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What every player or side has. Its mappings are never changed, only replaced."""

    scores: Mapping[str, int]
    overtricks: Mapping[str, int]  # since the start of the game; empty where none are counted
    winners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a game keeps its sheet."""

    keepers: Callable[[Seats], tuple[str, ...]]  # who has a score: players, or sides `p1+p3`
    start: Callable[[Any], int]
    goal: Callable[[Any], int]
    lowest_wins: bool = False
    overtricks: bool = False

    def begin(self, options: Any, seats: Seats) -> Sheet:
        """The sheet before the first deal."""
        keepers = self.keepers(seats)
        return Sheet(
            scores=dict.fromkeys(keepers, self.start(options)),
            overtricks=dict.fromkeys(keepers, 0) if self.overtricks else {},
        )

    def pay(self, sheet: Sheet, value: Amount | None) -> Iterator[e.PointsPaid]:
        """Everybody who is behind pays everybody who is ahead the difference (docs/decisions.md).

        Of two sides each player pays, or is paid by, the opponent who sits next in their order.
        """
        if not value:
            return
        for one, other in combinations(sheet.scores, 2):
            points = sheet.scores[one] - sheet.scores[other]
            first_is_ahead = (points < 0) == self.lowest_wins
            ahead, behind = (one, other) if first_is_ahead else (other, one)
            for payee, payer in zip(ahead.split("+"), behind.split("+"), strict=True):
                if points:
                    yield e.PointsPaid(payer=payer, payee=payee, points=abs(points), value=value)


def scored(sheet: Sheet, fact: e.Scored | e.GameWon) -> Sheet:
    """The sheet after this line of it."""
    match fact:
        case e.GameWon(winners=winners):
            return replace(sheet, winners=winners)
        case e.Scored(to=keeper, points=points, overtricks=overtricks):
            return _added(sheet, keeper, points, overtricks)


def taken_back(sheet: Sheet, fact: e.Scored | e.GameWon) -> Sheet:
    """The sheet before this line of it."""
    match fact:
        case e.GameWon():
            return replace(sheet, winners=())
        case e.Scored(to=keeper, points=points, overtricks=overtricks):
            return _added(sheet, keeper, -points, -overtricks)


def _added(sheet: Sheet, keeper: str, points: int, overtricks: int) -> Sheet:
    counted = sheet.overtricks
    if overtricks:
        counted = {**counted, keeper: counted[keeper] + overtricks}
    scores = {**sheet.scores, keeper: sheet.scores[keeper] + points}
    return replace(sheet, scores=scores, overtricks=counted)
