"""One session of a statement, with its lines.

A session's statement has one section, a group's has many. A section holds no lines: they are read
from the database each time that they are written.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar
from uuid import UUID

import msgspec

from api.i18n.translator import Names
from engine.values import Amount, Player
from ledger.reporting import journal_query
from ledger.reporting.journal_query import JournalQuery, JournalRow, JournalSummary
from ledger.reporting.posting_reasons import RuleReferences
from ledger.reporting.statement import StatementLine, running_lines
from ledger.store.connection_pool import Pool

T = TypeVar("T")


class SessionSection(msgspec.Struct, frozen=True, kw_only=True):
    """Title and names are safe to show. What has a default is only used in a group's statement."""

    session_id: UUID
    title: str | None
    game_key: str
    game: str
    opened_at: int
    updated_at: int
    status: str
    version: int
    head_hash: str
    receipt_url: str
    player_names: Names
    rules: RuleReferences
    movements: JournalQuery
    sums: JournalSummary
    opening_balance: Amount  # of the statement's holder, before the first line
    closing_balance: Amount
    number: int = 1
    continued_number: int | None = None  # the session that this one carried balances forward from
    results: Mapping[Player, Amount] = {}  # of each player, if it began in the period
    carried_from: str | None = None
    carried_to: str | None = None

    @property
    def display_title(self) -> str:
        return self.title or self.game

    def lines(self, pool: Pool) -> Iterator[StatementLine]:
        """Return the lines from the first one on, read anew at every call."""
        moved = journal_query.read_lines(pool, self.rules, self.movements, self.sums)
        return running_lines(moved, self.movements.account, self.opening_balance)

    def map_pages(self, pool: Pool, convert: Callable[[list[JournalRow]], T]) -> Iterator[T]:
        """Convert the stored lines page by page, for a writer with its own way to word them."""
        return journal_query.read_pages(pool, self.movements, self.sums, convert)
