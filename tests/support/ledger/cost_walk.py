"""Random steps in a session of any game, with shared costs among them."""

from random import Random
from typing import Any

from engine.games.registry import GAMES
from ledger.projections.costs import counted_costs
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import Book, Walk

MOST_PLAYERS = 7
POINT_OPTIONS = {"point_value": 50}


def book_for_money(game: str, currency: str = "SEK") -> Book:
    """Return a new session of this game in which money changes hands."""
    players = min(max(GAMES[game].player_counts), MOST_PLAYERS)
    options = POINT_OPTIONS if GAMES[game].scoring else {}
    return Book(players, game=GAMES[game], currency=currency, **options)


class CostWalk(Walk):
    """Play, settlements and transfers as in any walk, and shared costs, corrected and voided."""

    STEPS = (
        *(("play",) * 20 + ("settle",) * 3 + ("misdeal", "transfer")),
        *(("cost",) * 4 + ("cost_correction",) * 2 + ("cost_void",)),
    )

    def __init__(self, book: Book, die: Random) -> None:
        super().__init__(book, die)
        self.player = RandomPlayer(die)

    def play(self) -> Any:
        command = self.player.choose_command(self.book.legal)
        return self.book.act(command) if command else False

    def cost(self) -> Any:
        payer, amount, parts = self._random_cost()
        return self.book.record_cost(payer, amount, **parts)

    def cost_correction(self) -> Any:
        numbers = [*self.book.session.costs]
        if not numbers:
            return False
        payer, amount, parts = self._random_cost()
        return self.book.correct_cost(self.die.choice(numbers), payer, amount, **parts)

    def cost_void(self) -> Any:
        costs = [*counted_costs(self.book.session.costs)]
        return self.book.void_cost(self.die.choice(costs).number) if costs else False

    def _random_cost(self) -> tuple[str, int, dict[str, int]]:
        """Return a payer, an amount, and parts of which another player has at least one."""
        players = self.book.session.table.players
        payer, other = self.die.sample(players, 2)
        parts = {player: self.die.choice((0, 0, 1, 1, 2, 3)) for player in players}
        return payer, self.die.randint(1, 100_000), {**parts, other: self.die.randint(1, 3)}
