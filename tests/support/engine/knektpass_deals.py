"""Deals of Knektpass in short form: who stays and exchanges how many cards, and who takes what.

`A2 B0 D3` is: Ada, Bo and Disa stay, and exchange two, no and three cards.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine import commands as c
from engine.games.game import Game
from engine.games.knektpass import decider as knektpass
from engine.session import session as sessions
from engine.values import clockwise_from, left_of
from tests.support.engine.given_when_then import ADA, Given

TEN_PLAYERS = tuple(f"p{number}" for number in range(1, 11))

E8 = """
A2 B0 D3     AABDD | 10 11 12 17 |
-            -     | 10 11 12 17 |
C            -     | 10 11  7 17 |
A1 B3 C0 D2  BBBAC |  9  8  6 27 |
A0 B5 C1     CCCAC |  8 33  2 27 |
A2 C1 B4     AACAC |  5 53  0 27 | C
"""


@dataclass(frozen=True)
class KnektpassGiven(Given):
    """A table of Knektpass with up to ten people."""

    options: Any = field(default_factory=knektpass.Options)
    game: Game[Any, Any] = knektpass.GAME

    @cached_property
    def table_state(self):
        seats = TEN_PLAYERS[: self.players]
        start = sessions.begin(knektpass.GAME, self.options, seats, self.dealer)
        return self._fold(start, self.history)

    @property
    def sheet(self):
        return self.table_state.game_state.sheet

    @property
    def scores(self):
        """Return the scores in the order of the seats."""
        return [self.sheet.scores[player] for player in self.table_state.seats]

    @property
    def view(self):
        return self.table_state.game_state.phase.view()


def player_id(letter):
    return TEN_PLAYERS["ABCDEFGHIJ".index(letter)]


def seats_from_forehand(players, dealer=ADA):
    """Return the players, forehand first."""
    seats = TEN_PLAYERS[:players]
    return clockwise_from(left_of(dealer, seats), seats)


def declare_commands(staying, players=4, dealer=ADA):
    """Return everybody's declaration, to stay or to pass."""
    order = seats_from_forehand(players, dealer)
    return [c.Stay(player=p) if p in staying else c.Pass(player=p) for p in order]


def exchange_commands(cards, players=4, dealer=ADA):
    """Return one round of exchanges, without the players who exchange nothing."""
    order = seats_from_forehand(players, dealer)
    return [c.Exchange(player=p, cards=cards[p]) for p in order if cards.get(p)]


def deal_commands(text, players=4, dealer=ADA):
    """Return the commands of `A2 B0 D3`: the opening, everybody's declaration, one round of
    exchanges."""
    declarations = {
        player_id(word[0]): int(word[1:] or 0) for word in text.replace("-", "").split()
    }
    cards = exchange_commands(declarations, players, dealer) if len(declarations) > 1 else []
    return [c.OpenDeal(), *declare_commands(declarations, players, dealer), *cards]


def trick_commands(letters):
    return [c.Trick(winner=player_id(letter)) for letter in letters.replace("-", "")]


def count_command(letters):
    """Return the same tricks, counted when all are taken."""
    tricks_taken = Counter(map(player_id, letters.replace("-", "")))
    return [c.Tricks(taken=dict(tricks_taken))] if tricks_taken else []


def parse_deals(table):
    """Yield who stays, who takes the tricks, the scores after the deal, and who has won."""
    for line in table.strip().splitlines():
        deal, scores, winners = line.split("|")
        *declarations, tricks = deal.split()
        yield (
            " ".join(declarations),
            tricks,
            [int(score) for score in scores.split()],
            tuple(map(player_id, winners.split())),
        )
