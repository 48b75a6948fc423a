"""One session of a statement, and how to read its lines.

A session's statement has one section, a group's has many. A section holds no lines: they are read
from the database each time that they are written.
"""

from collections.abc import Mapping

import msgspec

from api.i18n.translator import Names
from api.statements.line_marks import LineMarks
from api.statements.statement_query import StatementQuery
from engine.values import Amount, Player
from ledger.events.currency import currency_places
from ledger.events.event_types import Member
from ledger.projections.postings import Unit
from ledger.reporting.journal_query import JournalQuery, JournalSummary
from ledger.session.session_state import SessionState

BETS, GUEST = "bets", "guest"
"""Accounts of a group's statement: all bets, and the kind of those of guests."""


def section_query(
    session: SessionState, query: StatementQuery, account: str | None, *, in_group: bool = False
) -> JournalQuery:
    """Return the query of a session's lines: of an account or, for None, of all. In a group, what
    one session carried forward from another is in no line."""
    return JournalQuery(
        session_id=session.id,
        version=session.version,
        unit=query.unit,
        account=account,
        with_brought_forward=not in_group,
        coin_units=10 ** decimal_places(session.opening.currency, query.unit),
        start=query.starts_at,
        end=query.ends_at,
    )


def decimal_places(currency: str, unit: Unit) -> int:
    """Return the number of decimals of an amount in whole coins."""
    return 0 if unit == "points" else currency_places(currency)


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
    members: Mapping[Player, Member] | None = None  # in a group
    continued_number: int | None = None  # the session that this one carried balances forward from

    @property
    def display_title(self) -> str:
        return self.title or self.session.game.name

    @property
    def head_hash(self) -> str:
        return self.session.hash.hex()

    def statement_account(self, account: str) -> str:
        """Return the name that an account of the session has in the statement: in a group's, a
        member has one account for all sessions, a guest one for each session."""
        kind, _, player = account.partition(":")
        if self.members is None or kind != "player":
            return account
        member = self.members.get(player)
        return f"member:{member}" if member else f"{GUEST}:{self.number}.{player}"

    def journal_account(self, account: str) -> str:
        """Return the account in an hledger journal. A group's has one for all bets: they get new
        numbers when they are carried forward."""
        if self.members is not None and account.startswith("bet:"):
            return BETS
        return self.statement_account(account)
