"""One session of a statement, and how to read its lines.

A session's statement has one section, a group's has many. A section holds no lines: they are read
from the database each time that they are written.
"""

from collections.abc import Iterator, Mapping

import msgspec

from api.i18n.translator import Names
from api.statements.line_marks import LineMarks
from engine.values import Amount, Player
from ledger.reporting import journal_query
from ledger.reporting.journal_query import JournalQuery, JournalSummary
from ledger.reporting.statement import StatementLine, running_lines
from ledger.session.session_state import SessionState
from ledger.store.connection_pool import Pool


class SessionSection(msgspec.Struct, frozen=True, kw_only=True):
    """Title and names are safe to show."""

    session: SessionState  # in a group without its deals: there may be hundreds of sessions
    title: str | None
    player_names: Names
    results: Mapping[Player, Amount]
    lines_query: JournalQuery
    sums: JournalSummary
    marks: LineMarks
    opening_balance: Amount = 0  # of the statement's holder, before the first line
    closing_balance: Amount = 0
    number: int = 1  # in a group
    continued_number: int | None = None  # the session that this one carried balances forward from

    @property
    def display_title(self) -> str:
        return self.title or self.session.game.name

    @property
    def head_hash(self) -> str:
        return self.session.hash.hex()

    def lines(self, pool: Pool) -> Iterator[StatementLine]:
        """Return the lines from the first one on, read anew at every call."""
        rules = self.session.rule_references
        lines = journal_query.read_lines(pool, rules, self.lines_query, self.sums)
        return running_lines(lines, self.lines_query.account, self.opening_balance)
