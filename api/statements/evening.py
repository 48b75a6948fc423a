"""One evening in a statement: its seal, where its receipt is, and its lines one by one.

A statement of one evening has one of these, a circle's has many. Holds no history: the lines are
read when they are told.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar
from uuid import UUID

import msgspec

from api.words import Names
from engine.values import Amount
from ledger import movements
from ledger.database import Pool
from ledger.movements import Row, Sums, Wanted
from ledger.statement import Line, lines
from ledger.why import Rules

T = TypeVar("T")


class Evening(msgspec.Struct, frozen=True, kw_only=True):
    """Its title and names are fit to be read. What has a default is told of a circle's evenings."""

    id: UUID
    title: str | None
    key: str  # of the game
    game: str
    begun: int
    at: int
    status: str
    version: int
    seal: str
    address: str  # of the receipt
    names: Names  # of its players
    rules: Rules
    wanted: Wanted
    sums: Sums
    opening: Amount  # of whoever's statement it is, before the first line
    closing: Amount
    number: int = 1
    goes_on: int | None = None  # from the evening of this number
    brought_from: str | None = None
    carried_to: str | None = None

    @property
    def what(self) -> str:
        return self.title or self.game

    def lines(self, pool: Pool) -> Iterator[Line]:
        """From the beginning, every time it is called."""
        moved = movements.moved(pool, self.rules, self.wanted, self.sums)
        return lines(moved, self.wanted.mine, self.opening)

    def paged(self, pool: Pool, work: Callable[[list[Row]], T]) -> Iterator[T]:
        """The same as they are stored, page by page, for who puts them into words by himself."""
        return movements.paged(pool, self.wanted, self.sums, work)
