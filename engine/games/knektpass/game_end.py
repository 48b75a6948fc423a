"""The first to come down to 0 wins: when that is, and who of several was first.

Looked at when the deal is over. Does not know for what points are given.
Source: docs/rules.md §4.4, A-KP-4 and A-KP-5.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from engine import events
from engine.games.knektpass.options import Options
from engine.values import Seats


def limit_lines(
    options: Options, scores: Mapping[str, int], lines: Iterable[events.Scored]
) -> tuple[events.Scored, ...]:
    """The lines as they go on the sheet: where no score goes below 0, only what is left comes off.

    Each player has one line.
    """
    if options.finish != "clamp_zero":
        return tuple(lines)
    return tuple(replace(line, points=max(line.points, -scores[line.to])) for line in lines)


def decide_winners(
    options: Options,
    deal: int,
    scores: Mapping[str, int],
    lines: Iterable[events.Scored],
    trick_winners: Seats = (),
) -> Iterator[events.GameWon]:
    """The end of the game, if these lines end it. `scores` are those before them.

    `trick_winners`: who took the tricks, in order; empty when they were only counted.
    """
    written = {line.to: line.points for line in lines}
    after = {keeper: scores[keeper] + written[keeper] for keeper in scores if keeper in written}
    home = {keeper: score for keeper, score in after.items() if _is_home(options, score)}
    if not home:
        return
    if options.finish_tie == "trick_order":
        first = _first_to_reach_zero({keeper: scores[keeper] for keeper in home}, trick_winners)
        if first:
            yield events.GameWon(deal=deal, winners=(first,))
            return
    lowest = min(home.values())
    winners = tuple(keeper for keeper, score in home.items() if score == lowest)
    yield events.GameWon(deal=deal, winners=winners)


def _is_home(options: Options, score: int) -> bool:
    return score == 0 if options.finish == "exact" else score <= 0


def _first_to_reach_zero(scores: dict[str, int], trick_winners: Seats) -> str | None:
    """Whose tricks, taken one by one, first bring the score to 0.

    Whom a penalty brings there was below it, and no number of tricks is his score.
    """
    for place, player in enumerate(trick_winners, start=1):
        if player in scores and trick_winners[:place].count(player) == scores[player]:
            return player
    return None
