"""One session of a statement: a summary of the session, and how to read its lines.

A session's statement has one section, a group's has many. A section holds no lines: they are read
from the database each time that they are written.
"""

from collections.abc import Iterator, Mapping
from uuid import UUID

import msgspec

from api.i18n.translator import Names
from engine.values import Amount, Player
from ledger.reporting import journal_query
from ledger.reporting.journal_query import JournalQuery, JournalSummary
from ledger.reporting.posting_reasons import RuleReferences
from ledger.reporting.statement import StatementLine, running_lines
from ledger.session.session_state import SessionState
from ledger.store.connection_pool import Pool


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A session at one version, without its deals: a group may have hundreds of sessions."""

    session_id: UUID
    game_key: str
    game: str
    currency: str
    opened_at: int
    updated_at: int
    status: str
    version: int
    head_hash: str
    rules: RuleReferences
    carried_from: str | None
    carried_to: str | None
    results: Mapping[Player, Amount]
    balances: Mapping[Player, Amount]  # what the session moved, without what it carried forward


def summarize_session(session: SessionState) -> SessionSummary:
    """Return the session without its deals."""
    brought_forward = session.brought_forward
    carried = brought_forward.balances if brought_forward else {}
    return SessionSummary(
        session_id=session.id,
        game_key=session.opening.game,
        game=session.game.name,
        currency=session.opening.currency,
        opened_at=session.opened_at,
        updated_at=session.at,
        status=session.status,
        version=session.version,
        head_hash=session.hash.hex(),
        rules=session.rule_references,
        carried_from=brought_forward.session if brought_forward else None,
        carried_to=session.carried_to,
        results={player: session.result(player) for player in session.balances},
        balances={p: balance - carried.get(p, 0) for p, balance in session.balances.items()},
    )


class SessionSection(SessionSummary, frozen=True, kw_only=True):
    """Title and names are safe to show."""

    title: str | None
    receipt_url: str
    player_names: Names
    movements: JournalQuery
    sums: JournalSummary
    opening_balance: Amount = 0  # of the statement's holder, before the first line
    closing_balance: Amount = 0
    number: int = 1  # in a group
    continued_number: int | None = None  # the session that this one carried balances forward from

    @property
    def display_title(self) -> str:
        return self.title or self.game

    def lines(self, pool: Pool) -> Iterator[StatementLine]:
        """Return the lines from the first one on, read anew at every call."""
        moved = journal_query.read_lines(pool, self.rules, self.movements, self.sums)
        return running_lines(moved, self.movements.account, self.opening_balance)
